! How the library ends a run that cannot go on: as CORSIKA's own STOP does, with its output written.

! Writes out what all units hold, so that the last lines of the log stand before the error.
subroutine rnmfls()
  implicit none
  call flush()
end subroutine rnmfls

! Ends the run with status 2: Fortran closes its units, C its streams, and exit handlers run.
subroutine rnmstp()
  implicit none
  intrinsic :: exit
  call exit(2)
end subroutine rnmstp
