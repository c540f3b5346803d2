/* At the beginning of the IACT package's own file: its routines TELOUT and TELEND get other names, so that
 * cherenkov_iact.h can stand in their place. They keep their names in builds in which the package writes every bunch
 * out, does not look up telescopes by their footprint, or reads what EXTENDED_TELOUT (option IACTEXT) adds to TELOUT's
 * arguments. */
#if !defined(IACT_NO_GRID) && !defined(CORSIKA_SAVES_PHOTONS) && !defined(STORE_EMITTER) && !defined(MARK_DIRECT_LIGHT)
#define CHERENKOV_WRAPS_IACT 1
#ifdef EXTENDED_TELOUT
#define telout_ cherenkov_extended_telout_
#else
#define telout_ cherenkov_stock_telout_
#endif
#define telend_ cherenkov_stock_telend_
#endif
