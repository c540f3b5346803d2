/* The version of the headers; CMakeLists.txt reads it from here. */
#ifndef RANMAR_VERSION_H
#define RANMAR_VERSION_H

#define RANMAR_VERSION_MAJOR 0
#define RANMAR_VERSION_MINOR 1
#define RANMAR_VERSION_PATCH 0

/* One number that grows with the version: 10000*major + 100*minor + patch. */
#define RANMAR_VERSION (10000 * RANMAR_VERSION_MAJOR + 100 * RANMAR_VERSION_MINOR + RANMAR_VERSION_PATCH)

#endif /* RANMAR_VERSION_H */
