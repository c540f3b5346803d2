/* RANMAR_API marks what the shared library exports; all else in it is hidden. */
#ifndef RANMAR_EXPORT_H
#define RANMAR_EXPORT_H

#if defined(__GNUC__)
#define RANMAR_API __attribute__((visibility("default")))
#else
#define RANMAR_API
#endif

#endif /* RANMAR_EXPORT_H */
