/* At the end of the IACT package's own file, whose variables it reads: where telescopes can be hit, and the counters of
 * all light. Not where every bunch is written out, or telescopes are not looked up by their footprint. */
int cherenkov_iact_footprints(double *x, double *y, double *half_width, double *impact, int most);
void cherenkov_iact_counters(double **photons, double **bunches);

/* Footprints of all telescopes of all copies of the array, cm; how many, -1 if they cannot be told. */
int cherenkov_iact_footprints(double *x, double *y, double *half_width, double *impact, int most)
{
#if defined(IACT_NO_GRID) || defined(CORSIKA_SAVES_PHOTONS) || defined(EXTENDED_TELOUT)
   (void)x, (void)y, (void)half_width, (void)impact, (void)most;
   return -1;
#else
   int i, k, n = 0;
   for (i = 0; i < narray; i++)
      for (k = 0; k < ndet[i]; k++, n++)
         if (n < most)
         {
            x[n] = detector[i][k].x;
            y[n] = detector[i][k].y;
            half_width[n] = detector[i][k].r;
         }
   impact[0] = impact_offset[0];
   impact[1] = impact_offset[1];
   return n;
#endif
}

/* Photons and bunches of the event so far. */
void cherenkov_iact_counters(double **photons, double **bunches)
{
   *photons = &all_photons;
   *bunches = &all_bunches;
}
