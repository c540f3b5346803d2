/* Refraction of light in the stand-in's atmosphere: flat, with an index less one that follows the density.

   Snell's law to first order in the index less one, e(z): a ray that leaves height z at the angle t is turned
   by (e(z') - e(z)) tan(t) at z', so against a straight line it arrives nearer by k(z) sin(t)/cos(t)^3, where
   k(z) is the integral of e(z') - e(z) from the level up to z. It arrives earlier than along the straight
   line by k(z) sin(t)^2/cos(t)^3. The density's integral is the depth, so k needs no table. The next order is
   met by an angle between those at emission and at arrival: up to 75 degrees the shift is that of rays followed
   step by step, to 4e-4 of itself. */
#include <math.h>

extern double thick_(double *height);
extern double refidx_(double *height);

static const double speed_of_light = 29.9792458; /* cm/ns */
static const double from_emission = 0.28; /* of the way from the angle at emission to that at arrival */
static double index_per_density, level, level_depth, level_index;

/* The index less one over the density, and the observation level. */
void atmset_(double *factor, double *observation) {
  index_per_density = *factor;
  level = *observation;
  level_depth = thick_(observation);
  level_index = refidx_(observation);
}

/* Light that leaves a height in direction (u, v, w), w downwards. In: where and when it would arrive on a
   straight line without any delay on the way, that is the time of its emission; out: place, time and
   direction at arrival. */
void raybnd_(double *height, double *u, double *v, double *w, double *x, double *y, double *time) {
  double index = refidx_(height), drop = *height - level;
  double delay = index_per_density * (level_depth - thick_(height));
  double bend = delay - (index - 1.) * drop;
  double sin_emission = sqrt(*u * *u + *v * *v), way = (drop + delay) / *w;
  if (sin_emission > 0.) {
    double sin_arrival = sin_emission * index / level_index;
    double angle = asin(sin_emission), angle_change = asin(sin_arrival) - angle;
    double sine = sin(angle + from_emission * angle_change),
           cosine = cos(angle + from_emission * angle_change);
    double shift = bend * sine / (cosine * cosine * cosine);
    way -= shift * sine;
    *x -= shift * *u / sin_emission;
    *y -= shift * *v / sin_emission;
    *u *= sin_arrival / sin_emission;
    *v *= sin_arrival / sin_emission;
    *w = sqrt(1. - sin_arrival * sin_arrival);
  }
  *time += way / speed_of_light;
}
