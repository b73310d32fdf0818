# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The files of the page of avocet report, scripts in the order in which they run. Sets page_files to the generated source.
include(AvocetEmbedFiles)
avocet_find_bundled(d3 libjs-d3 /usr/share/javascript/d3/d3.min.js)
avocet_find_bundled(d3_licence libjs-d3 /usr/share/doc/libjs-d3/copyright)
avocet_find_bundled(dagre python3-xstatic-dagre /usr/lib/python3/dist-packages/xstatic/pkg/dagre/data/dagre.min.js)
avocet_find_bundled(dagre_licence python3-xstatic-dagre /usr/share/doc/python3-xstatic-dagre/copyright)

set(page_modules Base Data Viewport LayerTable TimeLine TimeLinePainter MemoryPane Charts GraphLayout GraphPane IrPane
    DetailsPane ComparePane Main)
set(page_scripts "")
foreach(module IN LISTS page_modules)
  list(APPEND page_scripts "${module}.module.js=${CMAKE_CURRENT_LIST_DIR}/${module}.js")
endforeach()

set(page_files "${CMAKE_CURRENT_BINARY_DIR}/PageFiles.generated.cpp")
avocet_embed_files("${page_files}" avocet::tool::pageFiles
  "${CMAKE_CURRENT_LIST_DIR}/report.schema.json" "${CMAKE_CURRENT_LIST_DIR}/page.html" "${CMAKE_CURRENT_LIST_DIR}/page.css"
  "d3.min.js=${d3}" "dagre.min.js=${dagre}" ${page_scripts}
  "D3 3.5.licence=${d3_licence}" "dagre 0.6.licence=${dagre_licence}")
