! A program of which only the generator was patched: it must link with the whole line, and hold nothing of the
! Cherenkov stage, whose entry names routines that such a program has not.
program generator_only
  implicit none
  external :: rmmard, rnmini, rnmsed
  double precision :: numbers(3)
  integer :: seeds(3)
  seeds = (/ 54217137, 0, 0 /)
  call rnmini(8)
  call rnmsed(1, seeds)
  call rmmard(numbers, 3, 1)
  if (any(numbers <= 0.d0) .or. any(numbers >= 1.d0) .or. numbers(1) == numbers(2)) stop 1
end program
