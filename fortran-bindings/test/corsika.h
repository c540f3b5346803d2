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
#ifdef __RUNPARINC__
      LOGICAL          DEBUG,LCERDB,FEGSDB
      COMMON /TESTLG/  DEBUG,LCERDB,FEGSDB
#undef __RUNPARINC__
#endif
