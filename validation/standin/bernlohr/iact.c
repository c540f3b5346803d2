/* Telescopes of the stand-in shower program: array copies scattered over the ground, spheres, and the
   photon file. Called from Fortran under the names that such an interface has in CORSIKA; draws its own
   random numbers through the Fortran generator. Built without libraries of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern void rmmard_(double *vector, int *length, int *sequence);

typedef float cors_real_t;

enum { max_telescopes = 100, max_copies = 100 };

/* block types in the photon file */
enum { block_card = 1, block_run, block_event, block_bunches, block_longi, block_event_end, block_run_end };

struct telescope {
  double x, y, z, r;
};

struct bunch {
  float x, y, cx, cy, time, height, photons, wavelength;
};

/* A telescope of a copy of the array: its sphere; where light near the shower's direction that hits the
   sphere comes down, a square of half width r around (x, y); and what hit it. */
struct detector {
  double x, y, r;
  double x0, y0, z0, r0;
  int geo_type; /* 3: a sphere */
  struct bunch *hits;
  size_t count;
};

/* A rectangle around all of a copy's squares. */
struct extent {
  double x_low, x_high, y_low, y_high;
};

static struct telescope telescope[max_telescopes];
static int telescopes;
static double scatter_x, scatter_y;
static double impact_offset[2]; /* taken off all light; 0 here */
static int narray = 1;          /* copies of the array */
static int ndet[max_copies];
static double copy_x[max_copies], copy_y[max_copies];
static struct extent extent[max_copies];
static struct detector detector[max_copies][max_telescopes];
static double all_photons, all_bunches; /* of the event, all that came down */
static double hits_in_event;
static long stored_bunches; /* hits of all events */
static FILE *out;
static char out_name[256];
static int failed;

static void put(const void *data, size_t bytes) {
  if (out && bytes && fwrite(data, 1, bytes, out) != bytes) failed = 1;
}

static void put_head(int type, int ident, size_t bytes) {
  const int head[4] = {0x53544e44, type, ident, (int)bytes};
  put(head, sizeof head);
}

/* The telescopes; copies of the array, and how far they are scattered. */
void telset_(int *n, double *x, double *y, double *z, double *r, int *copies, double *scatter_along,
             double *scatter_across) {
  for (; telescopes < *n; telescopes++)
    telescope[telescopes] = (struct telescope){x[telescopes], y[telescopes], z[telescopes], r[telescopes]};
  narray = *copies;
  scatter_x = *scatter_along;
  scatter_y = *scatter_across;
}

/* Opens the photon file for appending, or starts the command behind a `|`. The hidden argument is Fortran's
   length of the string. */
void telfil_(char *name, int *length, int *error, size_t hidden) {
  size_t n = (size_t)*length;
  *error = 1;
  if (n == 0 || n > hidden || n >= sizeof out_name) return;
  memcpy(out_name, name, n);
  out_name[n] = 0;
  out = out_name[0] == '|' ? popen(out_name + 1, "w") : fopen(out_name, "ab");
  if (out) *error = 0;
}

void telcrd_(char *line, int *length, size_t hidden) {
  size_t n = (size_t)*length;
  if (n > hidden) n = hidden;
  put_head(block_card, 0, n);
  put(line, n);
}

void telrnh_(int *run, double *level) {
  const int counts[2] = {telescopes, narray};
  put_head(block_run, *run, sizeof counts + sizeof *level + (size_t)telescopes * sizeof telescope[0]);
  put(counts, sizeof counts);
  put(level, sizeof *level);
  put(telescope, (size_t)telescopes * sizeof telescope[0]);
}

/* Where a copy's telescopes stand and can be hit, for a shower in direction (zenith, azimuth). */
static void place(int copy, double zenith, double azimuth) {
  struct extent *e = &extent[copy];
  int j;
  ndet[copy] = telescopes;
  e->x_low = e->y_low = HUGE_VAL;
  e->x_high = e->y_high = -HUGE_VAL;
  for (j = 0; j < telescopes; j++) {
    struct detector *d = &detector[copy][j];
    const double slope = tan(zenith);
    d->geo_type = 3;
    d->x0 = telescope[j].x + copy_x[copy];
    d->y0 = telescope[j].y + copy_y[copy];
    d->z0 = telescope[j].z;
    d->r0 = telescope[j].r;
    d->x = d->x0 + d->z0 * slope * cos(azimuth);
    d->y = d->y0 + d->z0 * slope * sin(azimuth);
    d->r = 1.1 * d->r0 / cos(zenith) + 0.1 * fabs(d->z0) * slope;
    d->count = 0;
    e->x_low = fmin(e->x_low, d->x - d->r);
    e->x_high = fmax(e->x_high, d->x + d->r);
    e->y_low = fmin(e->y_low, d->y - d->r);
    e->y_high = fmax(e->y_high, d->y + d->r);
  }
}

/* Array copies of one event: on a circle where only its radius is given, else in a rectangle. values: energy,
   zenith angle, azimuth in the telescopes' frame, time offset. */
void televt_(int *event, int *particle, double values[4]) {
  static double u[2 * max_copies];
  int i, sequence = 4, numbers = 2 * narray;
  all_photons = all_bunches = hits_in_event = 0.;
  if (telescopes == 0) return;
  if (scatter_x > 0. || scatter_y > 0.) {
    rmmard_(u, &numbers, &sequence);
    for (i = 0; i < narray; i++) {
      if (scatter_y > 0.) {
        copy_x[i] = scatter_x * (2. * u[2 * i] - 1.);
        copy_y[i] = scatter_y * (2. * u[2 * i + 1] - 1.);
      } else {
        double r = scatter_x * sqrt(u[2 * i]), phi = 2. * 3.14159265358979324 * u[2 * i + 1];
        copy_x[i] = r * cos(phi);
        copy_y[i] = r * sin(phi);
      }
    }
  }
  for (i = 0; i < narray; i++) place(i, values[1], values[2]);
  put_head(block_event, *event,
           sizeof *particle + 4 * sizeof values[0] + 2 * (size_t)narray * sizeof(double));
  put(particle, sizeof *particle);
  put(values, 4 * sizeof values[0]);
  put(copy_x, (size_t)narray * sizeof copy_x[0]);
  put(copy_y, (size_t)narray * sizeof copy_y[0]);
}

/* A bunch that comes down at (px, py) with the direction cosines (cx, cy): does its line meet telescopes?
   Counted first, wherever it comes down. The weight is that of thinning, 1 here. */
int telout_(double *photons, double *weight, double *px, double *py, double *cx, double *cy, double *time,
            double *height, double *wavelength) {
  const double x = *px - impact_offset[0], y = *py - impact_offset[1];
  int i, j;
  all_photons += *photons * *weight;
  all_bunches += 1.;
  for (i = 0; i < narray; i++) {
    const struct extent *e = &extent[i];
    double cz;
    if (x < e->x_low || x > e->x_high || y < e->y_low || y > e->y_high) continue;
    cz = sqrt(1. - *cx * *cx - *cy * *cy);
    for (j = 0; j < ndet[i]; j++) {
      struct detector *d = &detector[i][j];
      double dx, dy, dz, along;
      if (fabs(x - d->x) > d->r || fabs(y - d->y) > d->r) continue;
      dx = d->x0 - x;
      dy = d->y0 - y;
      dz = d->z0;
      along = dx * *cx + dy * *cy - dz * cz;
      if (dx * dx + dy * dy + dz * dz - along * along <= d->r0 * d->r0) {
        if (d->count % 256 == 0) d->hits = realloc(d->hits, (d->count + 256) * sizeof *d->hits);
        d->hits[d->count++] = (struct bunch){(float)(-dx - *cx / cz * dz),
                                             (float)(-dy - *cy / cz * dz),
                                             (float)*cx,
                                             (float)*cy,
                                             (float)(*time - dz / (cz * 29.9792458)),
                                             (float)*height,
                                             (float)(*photons * *weight),
                                             (float)*wavelength};
        hits_in_event += 1.;
        stored_bunches++;
      }
    }
  }
  return 0;
}

void tellng_(int *n, double *step, double *charged, double *light) {
  if (telescopes == 0) return;
  put_head(block_longi, *n, sizeof *step + 2 * (size_t)*n * sizeof(double));
  put(step, sizeof *step);
  put(charged, (size_t)*n * sizeof charged[0]);
  put(light, (size_t)*n * sizeof light[0]);
}

/* What was counted in the event. */
void telcnt_(double *photons, double *bunches, double *number, int *error) {
  *photons = all_photons;
  *bunches = all_bunches;
  *number = hits_in_event;
  *error = failed;
}

/* All that was recorded of the event goes to the file. The argument is CORSIKA's event end block. */
void telend_(cors_real_t evte[273]) {
  int i, j;
  (void)evte;
  if (telescopes == 0) return;
  for (i = 0; i < narray; i++)
    for (j = 0; j < ndet[i]; j++) {
      const struct detector *d = &detector[i][j];
      put_head(block_bunches, 1000 * i + j, d->count * sizeof d->hits[0]);
      put(d->hits, d->count * sizeof d->hits[0]);
    }
  put_head(block_event_end, 0, 3 * sizeof all_photons);
  put(&all_photons, sizeof all_photons);
  put(&all_bunches, sizeof all_bunches);
  put(&hits_in_event, sizeof hits_in_event);
  if (out && fflush(out) != 0) failed = 1;
}

/* Closes the photon file and takes the right to write it away. A command's exit status counts for nothing,
   as in CORSIKA. */
void telrne_(int *showers, int *error) {
  put_head(block_run_end, *showers, 0);
  if (out && out_name[0] == '|') {
    if (fflush(out) != 0) failed = 1;
    pclose(out);
  } else {
    if (out && fclose(out) != 0) failed = 1;
    if (!failed && chmod(out_name, 0444) != 0) failed = 1;
  }
  out = NULL;
  *error = failed;
}
