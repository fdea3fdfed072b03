// settings.js: the page's fields, the settings of a run, its command line, and links.
"use strict";
