// Made by `python -m icllib export` from the weights of these records: do not edit.
"use strict";
var live = window.live || {};
live.models = [

];
