/* RANMAR_API marks what the shared library exports; all else in it is hidden, and RANMAR_LOCAL marks parts of an exported
   class that are hidden too. */
#ifndef RANMAR_EXPORT_H
#define RANMAR_EXPORT_H

#define RANMAR_API __attribute__((visibility("default")))
#define RANMAR_LOCAL __attribute__((visibility("hidden")))

#endif /* RANMAR_EXPORT_H */
