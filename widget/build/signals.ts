/** The signals without what the panel never uses: models, names, hooks for who watches, values as text. As `preact.ts` does it. */

import { type Pieces, trimmed } from "./preact.ts";

const PIECES: Pieces = [
  // Names, for tools, and who begins and ends to watch.
  ["this.W=null==t?void 0:t.watched;this.Z=null==t?void 0:t.unwatched;this.name=null==t?void 0:t.name", ""],
  ["else f(function(){var i;null==(i=t.W)||i.call(t)})", ""],
  ["if(i===this.t){this.t=n;if(void 0===n)f(function(){var i;null==(i=t.Z)||i.call(t)})}", "if(i===this.t)this.t=n"],
  ["this.name=null==t?void 0:t.name;if(n)n.push(this)", ""],
  [',{name:"sub"}', ""],
  // Models, which collect the effects that are made in them.
  ["var t=o,r=n;o=void 0;n=void 0;try{return i()}finally{o=t;n=r}", "var t=o;o=void 0;try{return i()}finally{o=t}"],
  ["m.prototype.dispose=function(){this.d()};", ""],
  ["var n=r.d.bind(r);n[Symbol.dispose]=n;return n", "return r.d.bind(r)"],
  // What a signal is in a text, in JSON, to other copies of the library.
  [/l\.prototype\.valueOf=.*?(?=l\.prototype\.peek=)/, ""],
  ["l.prototype.brand=i;", ""],
];

export const trimmedSignals = trimmed("trimmed-signals", /\/signals-core\.m\w*\.?js$/, PIECES);
