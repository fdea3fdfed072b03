# Finds oneDNN, sets HAVE_ONEDNN and adds the library to `deps`. Versions other than those that
# nets/onednn/api.h knows leave the backend onednn out.
find_path(DNNL_INCLUDE dnnl.h)
find_library(DNNL_LIBRARY dnnl)

# "MAJOR.MINOR.PATCH" of the header that was found.
function(onednn_version result)
	set(version "")
	foreach(header oneapi/dnnl/dnnl_version.h dnnl_version.h)
		if(NOT version AND EXISTS ${DNNL_INCLUDE}/${header})
			file(STRINGS ${DNNL_INCLUDE}/${header} lines
				REGEX "define[ \t]+DNNL_VERSION_(MAJOR|MINOR|PATCH)[ \t]")
			string(REGEX MATCHALL "[0-9]+" version "${lines}")
		endif()
	endforeach()
	string(REPLACE ";" "." version "${version}")
	set(${result} "${version}" PARENT_SCOPE)
endfunction()

set(HAVE_ONEDNN OFF)
if(NOT CONVOY_ONEDNN)
	message(STATUS "CONVOY_ONEDNN is off: the backend onednn is left out")
elseif(NOT DNNL_INCLUDE OR NOT DNNL_LIBRARY)
	message(STATUS "without oneDNN: the backend onednn is left out")
else()
	onednn_version(version)
	if(version MATCHES "^[23]\\.")
		set(HAVE_ONEDNN ON)
		target_include_directories(deps SYSTEM INTERFACE ${DNNL_INCLUDE})
		target_compile_definitions(deps INTERFACE CONVOY_HAVE_ONEDNN=1)
		target_link_libraries(deps INTERFACE ${DNNL_LIBRARY})
	else()
		message(WARNING "the version of oneDNN in ${DNNL_INCLUDE} is '${version}' (expected 2.x or 3.x):"
			" the backend onednn is left out, and openblas computes. Install oneDNN 2 or 3 to have it.")
	endif()
endif()
