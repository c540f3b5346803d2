# Looks that LIBRARY calls ROUTINE, and can be linked without it.
execute_process(COMMAND ${NM} --undefined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " w ${ROUTINE}\n")
  message(FATAL_ERROR "${ROUTINE} is no weak reference of ${LIBRARY}")
endif()
if(symbols MATCHES " U ${ROUTINE}\n")
  message(FATAL_ERROR "${LIBRARY} cannot be linked without ${ROUTINE}")
endif()
