/* At the end of the IACT package's own file, whose variables it reads: where telescopes can be hit, and the counters of
 * all light. Not where every bunch is written out, or telescopes are not looked up by their footprint. */
int cherenkov_iact_telescopes(double *footprints, double *spheres, double *impact, int most);
void cherenkov_iact_counters(double **photons, double **bunches);

/* All telescopes of all copies of the array, cm: x, y and half width of each one's footprint; x, y, z and radius of
 * a sphere that light must pass, to either side, to be recorded. How many; -1 if they cannot be told. */
int cherenkov_iact_telescopes(double *footprints, double *spheres, double *impact, int most)
{
#if defined(IACT_NO_GRID) || defined(CORSIKA_SAVES_PHOTONS) || defined(EXTENDED_TELOUT)
   (void)footprints, (void)spheres, (void)impact, (void)most;
   return -1;
#else
   int i, k, n = 0;
   for (i = 0; i < narray; i++)
      for (k = 0; k < ndet[i]; k++, n++)
         if (n < most)
         {
            double *footprint = footprints + 3L * n, *sphere = spheres + 4L * n;
            footprint[0] = detector[i][k].x;
            footprint[1] = detector[i][k].y;
            footprint[2] = detector[i][k].r;
            if (detector[i][k].geo_type == 3)
            {
               sphere[0] = detector[i][k].x0;
               sphere[1] = detector[i][k].y0;
               sphere[2] = detector[i][k].z0;
               sphere[3] = detector[i][k].r0 < 0. ? -detector[i][k].r0 : detector[i][k].r0;
            }
            else /* one that light cannot miss which arrives in the footprint */
            {
               sphere[0] = footprint[0];
               sphere[1] = footprint[1];
               sphere[2] = 0.;
               sphere[3] = 1.4142136 * footprint[2];
            }
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
