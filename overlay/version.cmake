# cmake -DTREE=DIR -DVERSION=N -DMADE=TEXT -DOUT=FILE -P version.cmake: writes what overlay --version prints into a C++ file,
# where it is another. Of what commit TREE is git says, or in a source archive the next line, where git put it.
set(commit "$Format:%H$")
set(changes "")
if(EXISTS ${TREE}/.git)
  execute_process(COMMAND git -C ${TREE} rev-parse HEAD OUTPUT_VARIABLE commit ERROR_QUIET RESULT_VARIABLE ignored)
  execute_process(COMMAND git --no-optional-locks -C ${TREE} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET
                  RESULT_VARIABLE ignored)
endif()
if(NOT commit MATCHES "^[0-9a-f]+")
  set(commit unknown)
endif()
string(SUBSTRING ${commit} 0 12 commit)
if(changes)
  string(APPEND commit " with changes")
endif()
set(text "overlay ${VERSION}\ncommit ${commit}\nmade with ${MADE}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "namespace overlay {\nextern const char* const kVersion = R\"(${text})\";\n}\n")
