! Writes out what all of Fortran's units hold, so that the last lines of the log stand before an error.
subroutine rnmfls()
  implicit none
  call flush()
end subroutine rnmfls
