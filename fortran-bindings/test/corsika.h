/* The blocks of CORSIKA's header that the includes need, in the layout that its sources use. */
#ifdef __RANMA3INC__
      INTEGER          KSEQ
      PARAMETER        (KSEQ = 9)
      COMMON /CRRANMA3/CD,CINT,CM,TWOM24,TWOM48,MODCNS
      DOUBLE PRECISION CD,CINT,CM,TWOM24,TWOM48
      INTEGER          MODCNS
#undef __RANMA3INC__
#endif
#ifdef __CONEXINC__
      LOGICAL          FINCNX
      COMMON /TESTCX/  FINCNX
#undef __CONEXINC__
#endif
/* What the Cherenkov stage reads, in blocks of the test's own. */
#ifdef __CONSTAINC__
      INTEGER          LNGMAX
      PARAMETER        (LNGMAX = 9999)
      COMMON /TESTCH/  C,CYIELD,CERSIZ,ETADSN,PI2,COSANG,SINANG,OBSLEV,
     *                 XOFF,YOFF,THCKOB,THSTEP,THSTPI,STHCPH,STHSPH,CTH,
     *                 RLOFF,PLONG,RLONG,HLONG,NOBSLV,IATMOX,FREFRX,
     *                 LLONGI,NSTEP
      COMMON /TESTLG/  DEBUG,LCERDB,FEGSDB
      DOUBLE PRECISION C(50),CYIELD,CERSIZ,ETADSN,PI2,COSANG,SINANG,
     *                 OBSLEV(20),XOFF(20),YOFF(20),THCKOB(20),THSTEP,
     *                 THSTPI,STHCPH,STHSPH,CTH,RLOFF,
     *                 PLONG(0:LNGMAX,9:9),RLONG(0:LNGMAX),
     *                 HLONG(0:LNGMAX)
      INTEGER          NOBSLV,IATMOX,NSTEP
      LOGICAL          FREFRX,DEBUG,LCERDB,FEGSDB,LLONGI
#undef __CONSTAINC__
#undef __RUNPARINC__
#endif
/* What option CURVED adds, in blocks of the test's own. */
#ifdef __CORFRAMINC__
      LOGICAL          DETSYS
      COMMON /TESTCF/  DETSYS
#undef __CORFRAMINC__
#endif
#ifdef __ATMOSINC__
      DOUBLE PRECISION HLAY(5),DATM(5)
      COMMON /TESTAT/  HLAY,DATM
#undef __ATMOSINC__
#endif
/* What option CEFFIC adds, in blocks of the test's own. */
#ifdef __CERABSINC__
      COMMON /TESTAB/  QUAEFF,MIRREF,CERQEF,CERMIR
      DOUBLE PRECISION QUAEFF(201),MIRREF(201)
      LOGICAL          CERQEF,CERMIR
      COMMON /TESTAA/  ATMABS,ATEOBS,CERATA
      DOUBLE PRECISION ATMABS(201,0:50),ATEOBS(201)
      LOGICAL          CERATA
#undef __CERABSINC__
#endif
#ifdef __CEREN1INC__
      COMMON /TESTWL/  WAVLGL,CERNOR,WLMIN
      DOUBLE PRECISION WAVLGL,CERNOR,WLMIN
      COMMON /TESTWU/  WAVLGU
      DOUBLE PRECISION WAVLGU
#undef __CEREN1INC__
#endif
#ifdef __RANDPAINC__
      COMMON /TESTRD/  RD
      DOUBLE PRECISION RD(3000)
#undef __RANDPAINC__
#endif
