# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# install_configured(TYPE TEMPLATE FOLDER): installs TEMPLATE without its ".in"
# as a FILE or PROGRAM into FOLDER, filled in when it is installed, so that the
# paths in it are right also after "cmake --install BUILD --prefix DIR".
#
# The template may name PROJECT_VERSION, INSTALL_PREFIX, INSTALL_LIBDIR and
# INSTALL_INCLUDEDIR (without DESTDIR) and what INSTALL_CONFIGURED_VARIABLES
# lists. A program has the paths of the installation between single quotes.
function(install_configured type template folder)
  cmake_path(GET template STEM LAST_ONLY name)
  set(code "")
  foreach(variable PROJECT_VERSION ${INSTALL_CONFIGURED_VARIABLES})
    string(APPEND code "set(${variable} [==[${${variable}}]==])\n")
  endforeach()
  # CMake makes an empty one of the prefix "/".
  string(APPEND code
    "set(INSTALL_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")\n"
    "if(INSTALL_PREFIX STREQUAL \"\")\n"
    "  set(INSTALL_PREFIX /)\n"
    "endif()\n")
  foreach(dir LIBDIR INCLUDEDIR)
    string(APPEND code
      "set(INSTALL_${dir} [==[${CMAKE_INSTALL_${dir}}]==])\n"
      "cmake_path(ABSOLUTE_PATH INSTALL_${dir}\n"
      "  BASE_DIRECTORY \"\${INSTALL_PREFIX}\" NORMALIZE)\n")
    if(type STREQUAL PROGRAM)
      string(APPEND code
        "string(REPLACE \"'\" [==['\\'']==] INSTALL_${dir}\n"
        "  \"\${INSTALL_${dir}}\")\n")
    endif()
  endforeach()
  # A folder for each place, so that two installations do not meet.
  string(APPEND code
    "string(SHA1 place \"\$ENV{DESTDIR} \${CMAKE_INSTALL_PREFIX}\")\n"
    "set(made [==[${CMAKE_CURRENT_BINARY_DIR}/installed]==])\n"
    "cmake_path(APPEND made \"\${place}\" [==[${name}]==])\n"
    "configure_file([==[${CMAKE_CURRENT_SOURCE_DIR}/${template}]==]\n"
    "  \"\${made}\" @ONLY)\n"
    "set(to [==[${folder}]==])\n"
    "cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY \"\${INSTALL_PREFIX}\")\n"
    "file(INSTALL \"\${made}\" DESTINATION \"\${to}\" TYPE ${type})\n")
  install(CODE "${code}")
endfunction()
