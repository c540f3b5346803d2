/* At the end of the IACT package's own file, whose variables it reads: where telescopes can be hit, the counters of
 * all light, and TELOUT and TELEND as CORSIKA calls them. */
#ifdef CHERENKOV_WRAPS_IACT
#undef telout_
#undef telend_
/* Not 0 while the stage looks at bunches that CORSIKA emits; cherenkov_raybnd (cherenkov_atmo.h) and cherenkov_telout
 * then take them. Weak: a program whose CERENK does not call the stage is linked without it. */
extern int cherenkov_looks_at_bunches __attribute__((weak));
int cherenkov_telout(double *photons, double *weight, double *x, double *y, double *u, double *v, double *t,
                     double *height, double *wavelength) __attribute__((weak));
void cherenkov_end_of_event(void) __attribute__((weak));

#ifdef EXTENDED_TELOUT
/* The package does not read the last four arguments (cherenkov_iact_names.h). */
#define CHERENKOV_EMITTER_ARGUMENTS , double *emission_time, double *energy, double *mass, double *charge
int cherenkov_stock_telout_(double *photons, double *weight, double *x, double *y, double *u, double *v, double *t,
                            double *height, double *wavelength)
{
   double none = 0.;
   return cherenkov_extended_telout_(photons, weight, x, y, u, v, t, height, wavelength, &none, &none, &none, &none);
}
#else
#define CHERENKOV_EMITTER_ARGUMENTS
#endif

int telout_(double *photons, double *weight, double *x, double *y, double *u, double *v, double *t, double *height,
            double *wavelength CHERENKOV_EMITTER_ARGUMENTS)
{
   if (&cherenkov_looks_at_bunches != 0 && cherenkov_looks_at_bunches)
      return cherenkov_telout(photons, weight, x, y, u, v, t, height, wavelength);
   return cherenkov_stock_telout_(photons, weight, x, y, u, v, t, height, wavelength);
}

/* Light that is pending is followed before the event ends. */
void telend_(cors_real_t *evte)
{
   if (cherenkov_end_of_event != 0)
      cherenkov_end_of_event();
   cherenkov_stock_telend_(evte);
}
#endif

/* All telescopes of all copies of the array, in the telescopes' frame, cm; z is above the detection plane. footprints:
 * x, y and half width of the footprint of each. spheres: x, y, z and radius of a sphere for each; light is recorded
 * only if its straight line, extended beyond both ends, passes through the sphere. impact: x and y of impact_offset,
 * the estimated deflection of a charged primary by the geomagnetic field, cm. Writes at most `most` telescopes.
 * Returns the number of telescopes; -1 if it is not known. */
int cherenkov_iact_telescopes(double *footprints, double *spheres, double *impact, int most)
{
#ifndef CHERENKOV_WRAPS_IACT
   (void)footprints, (void)spheres, (void)impact, (void)most;
   return -1;
#else
   int i, k, n = 0;
   for (i = 0; i < narray; i++)
      for (k = 0; k < ndet[i]; k++, n++)
         if (n < most)
         {
            double *footprint = footprints + 3L * n, *sphere = spheres + 4L * n;
            const int is_sphere = detector[i][k].geo_type == 3;
            footprint[0] = detector[i][k].x;
            footprint[1] = detector[i][k].y;
            footprint[2] = detector[i][k].r;
            /* Else a sphere that contains the footprint: light that arrives in the footprint passes through it. */
            sphere[0] = is_sphere ? detector[i][k].x0 : footprint[0];
            sphere[1] = is_sphere ? detector[i][k].y0 : footprint[1];
            sphere[2] = is_sphere ? detector[i][k].z0 : 0.;
            sphere[3] = is_sphere ? detector[i][k].r0 : 1.4142136 * footprint[2];
            if (sphere[3] < 0.)
               sphere[3] = -sphere[3];
         }
   impact[0] = impact_offset[0];
   impact[1] = impact_offset[1];
   return n;
#endif
}

/* Gives the addresses of the package's counters: photons and bunches of the event so far. */
void cherenkov_iact_counters(double **photons, double **bunches)
{
   *photons = &all_photons;
   *bunches = &all_bunches;
}

/* Bunches that hit a telescope so far, once for each telescope that they hit. */
long cherenkov_iact_stored(void)
{
   return stored_bunches;
}
