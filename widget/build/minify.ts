/** The one minifier: terser, with the same options for every script of the widget. */

import { type MinifyOptions, minify } from "terser";

/**
 * Private members of Preact and of the signals begin with an underscore, in their sources and in their builds. Only these are
 * renamed; no name of the widget begins with an underscore.
 */
const PRIVATE_MEMBERS = /^_[a-z]/;

/**
 * The widget never reads a function's `length` or `prototype`. Getters are not pure: reading a signal subscribes to it.
 * In this code `unsafe` changes only four things: `String(x)`, `new Error`, `Infinity`, and templates, which become
 * concatenations. Without `lhs_constants` comparisons stay as they are written, which compresses better.
 */
const COMPRESS = {
  passes: 3,
  keep_fargs: false,
  unsafe_arrows: true,
  hoist_props: true,
  unsafe: true,
  lhs_constants: false,
};

/** Options of one script besides the common ones. */
type ExtraOptions = Pick<MinifyOptions, "compress" | "format"> & { compress?: object };

/** Minifies one script. @param extra options of this script, such as its first line */
export async function minified(code: string, extra: ExtraOptions = {}): Promise<string> {
  const result = await minify(code, {
    module: true,
    ecma: 2020,
    compress: { ...COMPRESS, ...extra.compress },
    mangle: { properties: { regex: PRIVATE_MEMBERS } },
    format: { comments: false, ...extra.format },
  });
  return result.code ?? "";
}

/** A plugin of the build that minifies every script as the last step. */
export const minifiedBy = (extra?: ExtraOptions) => ({
  name: "minify",
  renderChunk: {
    order: "post" as const,
    handler: async (code: string) => ({ code: await minified(code, extra), map: null }),
  },
});
