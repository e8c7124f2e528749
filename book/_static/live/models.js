// Made by `python -m icllib export` from the book's kept weights: do not edit.
"use strict";
var live = window.live || {};
live.models = [

];
