/* At the beginning of the IACT package's own file: its routines TELOUT and TELEND get other names, so that
 * cherenkov_iact.h can stand in their place. They keep their names in builds in which the package writes every bunch
 * out, or does not look up telescopes by their footprint. */
#if !defined(IACT_NO_GRID) && !defined(CORSIKA_SAVES_PHOTONS) && !defined(EXTENDED_TELOUT)
#define CHERENKOV_WRAPS_IACT 1
#define telout_ cherenkov_stock_telout_
#define telend_ cherenkov_stock_telend_
#endif
