/* SPDX-License-Identifier: MIT
   Preloaded: libxcb writes to the X server by poll() and then writev(), which raises SIGPIPE if the
   server has closed its end between the two. WRITEV_DELAY=N makes that window N microseconds wide;
   WRITEV_QUIET=1 closes it: the same bytes go without the signal, and libxcb sees EPIPE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t writev(int fd, const struct iovec *vector, int count)
{
    static ssize_t (*next)(int, const struct iovec *, int);
    const char *delay = getenv("WRITEV_DELAY"), *quiet = getenv("WRITEV_QUIET");
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    int kept = errno, is_socket = !getsockname(fd, (struct sockaddr *)&name, &length);

    errno = kept;
    if (is_socket && delay)
        usleep((useconds_t)atoi(delay));
    if (is_socket && quiet) {
        struct msghdr message = { .msg_iov = (struct iovec *)vector, .msg_iovlen = (size_t)count };
        return sendmsg(fd, &message, MSG_NOSIGNAL);
    }
    if (!next)
        next = (ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    return next(fd, vector, count);
}
