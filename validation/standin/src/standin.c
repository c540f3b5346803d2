/* Telescopes of the stand-in shower program: array copies scattered over the ground, spheres, and the
   photon file. Called from Fortran under the names that such an interface has in CORSIKA; draws its own
   random numbers through the Fortran generator. Built without libraries of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern void rmmard_(double *vector, int *length, int *sequence);

enum { max_telescopes = 100, max_copies = 100 };

/* block types in the photon file */
enum { block_card = 1, block_run, block_event, block_bunches, block_longi, block_event_end, block_run_end };

struct telescope {
  double x, y, z, r;
};

struct bunch {
  float x, y, cx, cy, time, height, photons, wavelength;
};

struct bunch_list {
  struct bunch *item;
  size_t count, room;
};

static struct telescope telescope[max_telescopes];
static int telescopes;
static int copies = 1;
static double scatter_x, scatter_y;
static double copy_x[max_copies], copy_y[max_copies];
static double array_radius; /* of a circle on the ground that light into any telescope passes */
static struct bunch_list hits[max_copies][max_telescopes];
static double hits_in_event;
static FILE *out;
static char out_name[256];
static int failed;

static void put(const void *data, size_t bytes) {
  if (out && bytes && fwrite(data, 1, bytes, out) != bytes) failed = 1;
}

static void put_head(int type, int ident, size_t bytes) {
  int head[4];
  head[0] = 0x53544e44;
  head[1] = type;
  head[2] = ident;
  head[3] = (int)bytes;
  put(head, sizeof head);
}

void telset_(double *x, double *y, double *z, double *r) {
  double reach;
  struct telescope *t;
  if (telescopes >= max_telescopes) return;
  t = &telescope[telescopes++];
  t->x = *x;
  t->y = *y;
  t->z = *z;
  t->r = *r;
  /* light steeper than about 84 degrees from the zenith is not followed */
  reach = sqrt(t->x * t->x + t->y * t->y) + 10. * (fabs(t->z) + t->r);
  if (reach > array_radius) array_radius = reach;
}

void telsct_(int *n, double *x, double *y) {
  copies = *n;
  scatter_x = *x;
  scatter_y = *y;
}

/* Opens the photon file for appending. The hidden argument is Fortran's length of the string. */
void telfil_(char *name, int *length, int *error, size_t hidden) {
  size_t n = (size_t)*length;
  *error = 1;
  if (n == 0 || n > hidden || n >= sizeof out_name) return;
  memcpy(out_name, name, n);
  out_name[n] = 0;
  out = fopen(out_name, "ab");
  if (out) *error = 0;
}

void telcrd_(char *line, int *length, size_t hidden) {
  size_t n = (size_t)*length;
  if (n > hidden) n = hidden;
  put_head(block_card, 0, n);
  put(line, n);
}

void telrnh_(int *run, double *level) {
  int i, counts[2];
  counts[0] = telescopes;
  counts[1] = copies;
  put_head(block_run, *run, sizeof counts + sizeof *level + (size_t)telescopes * sizeof telescope[0]);
  put(counts, sizeof counts);
  put(level, sizeof *level);
  for (i = 0; i < telescopes; i++) put(&telescope[i], sizeof telescope[i]);
}

/* Array copies of one event: on a circle where only its radius is given, else in a rectangle. */
void televt_(int *event, int *particle, double values[4]) {
  static double u[2 * max_copies];
  int i, j, sequence = 4, numbers = 2 * copies;
  if (telescopes == 0) return;
  hits_in_event = 0.;
  for (i = 0; i < copies; i++) {
    copy_x[i] = copy_y[i] = 0.;
    for (j = 0; j < telescopes; j++) hits[i][j].count = 0;
  }
  if (scatter_x > 0. || scatter_y > 0.) {
    rmmard_(u, &numbers, &sequence);
    for (i = 0; i < copies; i++) {
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
  put_head(block_event, *event, sizeof *particle + 4 * sizeof values[0] + 2 * (size_t)copies * sizeof(double));
  put(particle, sizeof *particle);
  put(values, 4 * sizeof values[0]);
  put(copy_x, (size_t)copies * sizeof copy_x[0]);
  put(copy_y, (size_t)copies * sizeof copy_y[0]);
}

static void keep(struct bunch_list *list, const struct bunch *b) {
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 256;
    struct bunch *item = realloc(list->item, room * sizeof *item);
    if (!item) {
      fputs("standin: out of memory for light bunches\n", stderr);
      exit(1);
    }
    list->item = item;
    list->room = room;
  }
  list->item[list->count++] = *b;
}

/* A bunch on the ground at (x, y) with the direction cosines (cx, cy): does its line meet a telescope? */
void telout_(double *photons, double *wavelength, double *x, double *y, double *cx, double *cy, double *time,
             double *height) {
  int i, j;
  double cz;
  for (i = 0; i < copies; i++) {
    double px = *x - copy_x[i], py = *y - copy_y[i];
    if (px * px + py * py > array_radius * array_radius) continue;
    cz = sqrt(1. - *cx * *cx - *cy * *cy);
    for (j = 0; j < telescopes; j++) {
      const struct telescope *t = &telescope[j];
      double dx = t->x - px, dy = t->y - py, dz = t->z;
      double along = dx * *cx + dy * *cy - dz * cz;
      double miss = dx * dx + dy * dy + dz * dz - along * along;
      if (miss <= t->r * t->r) {
        struct bunch b;
        b.x = (float)(-dx - *cx / cz * t->z);
        b.y = (float)(-dy - *cy / cz * t->z);
        b.cx = (float)*cx;
        b.cy = (float)*cy;
        b.time = (float)(*time - t->z / (cz * 29.9792458));
        b.height = (float)*height;
        b.photons = (float)*photons;
        b.wavelength = (float)*wavelength;
        keep(&hits[i][j], &b);
        hits_in_event += 1.;
      }
    }
  }
}

/* Numbers for a caller that wants them through C. */
void telrnd_(double *vector, int *length, int *sequence) { rmmard_(vector, length, sequence); }

void tellng_(int *n, double *step, double *charged, double *light) {
  if (telescopes == 0) return;
  put_head(block_longi, *n, sizeof *step + 2 * (size_t)*n * sizeof(double));
  put(step, sizeof *step);
  put(charged, (size_t)*n * sizeof charged[0]);
  put(light, (size_t)*n * sizeof light[0]);
}

void telend_(double values[5], double *number, int *error) {
  int i, j;
  *number = hits_in_event;
  *error = 0;
  if (telescopes == 0) return;
  for (i = 0; i < copies; i++)
    for (j = 0; j < telescopes; j++) {
      put_head(block_bunches, 1000 * i + j, hits[i][j].count * sizeof(struct bunch));
      put(hits[i][j].item, hits[i][j].count * sizeof(struct bunch));
    }
  put_head(block_event_end, 0, 5 * sizeof values[0] + sizeof *number);
  put(values, 5 * sizeof values[0]);
  put(number, sizeof *number);
  if (out && fflush(out) != 0) failed = 1;
  *error = failed;
}

/* Closes the photon file and takes the right to write it away. */
void telrne_(int *showers, int *error) {
  int i, j;
  put_head(block_run_end, *showers, 0);
  if (out && fclose(out) != 0) failed = 1;
  out = NULL;
  if (!failed && chmod(out_name, 0444) != 0) failed = 1;
  for (i = 0; i < max_copies; i++)
    for (j = 0; j < max_telescopes; j++) free(hits[i][j].item);
  *error = failed;
}
