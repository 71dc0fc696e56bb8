# THE list of rooms and who may use whom. tools/check_house reads the same lines.
#
#   room(NAME USES rooms... LINKS libraries...)
#
# makes the library saker_NAME of src/NAME, and NAME_test of its *_test.cpp. Files *_cuda.{cpp,cu} are
# built where there is CUDA, *_nocuda.cpp elsewhere. In src/ops each folder is a library and a test of
# its own (saker_op_NAME, NAME_test), and saker_ops is all of them.
include(cmake/room.cmake)

room(base)
room(tensor  USES base LINKS cuda)
room(ops     USES base tensor LINKS hwy cuda)
if(NOT SAKER_GPU_ONLY)
    room(json    USES base LINKS boost_json)
    room(ask     USES base tensor)
    room(media   USES base tensor json LINKS hwy jpeg spng webp gif)
    room(jinja   USES base json LINKS utf8proc)
    room(weights USES base tensor json LINKS fmt crypto)
    room(cache   USES base tensor)
    room(api     USES base json ask)
    room(models  USES base tensor json ops weights)
    room(text    USES base json jinja api LINKS utf8proc pcre2)
    room(engine  USES base tensor ask ops models cache)
    room(serve   USES base tensor json ask api text media engine)
    room(app     USES base tensor json ask media ops weights cache api models text engine serve
                 LINKS cli11 fmt edit)
endif()

include(cmake/targets.cmake)
