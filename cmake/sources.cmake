# Reads sources.mk: every NAME = \ followed by paths becomes the CMake list NAME.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/sources.mk)

file(READ ${PROJECT_SOURCE_DIR}/sources.mk text)
string(REGEX REPLACE "#[^\n]*" "" text "${text}")
string(REGEX REPLACE "\\\\\n" " " text "${text}")
string(REPLACE "\n" ";" lines "${text}")
foreach(line IN LISTS lines)
	if(line MATCHES "^([A-Z0-9_]+)[ \t]*=(.*)$")
		set(name ${CMAKE_MATCH_1})
		string(REGEX MATCHALL "[^ \t]+" ${name} "${CMAKE_MATCH_2}")
	elseif(NOT line MATCHES "^[ \t]*$")
		message(FATAL_ERROR "sources.mk: cannot read '${line}'")
	endif()
endforeach()
