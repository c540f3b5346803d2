/* At the end of the IACT package's atmosphere: RAYBND as CORSIKA calls it. A bunch that can hit no telescope needs no
 * refraction; TELOUT, which comes next, then only counts it. */
#undef raybnd_
extern int cherenkov_looks_at_bunches __attribute__((weak));
int cherenkov_raybnd(double *height, double *u, double *v, double *w, double *x, double *y, double *t)
    __attribute__((weak));

void raybnd_(double *height, double *u, double *v, double *w, double *x, double *y, double *t)
{
   if (&cherenkov_looks_at_bunches != 0 && cherenkov_looks_at_bunches && cherenkov_raybnd(height, u, v, w, x, y, t))
      return;
   cherenkov_stock_raybnd_(height, u, v, w, x, y, t);
}
