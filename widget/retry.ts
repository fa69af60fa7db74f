/**
 * A part that could not be fetched is asked for once more before the panel says so. Under another address, because a browser
 * may remember a failed import by its own (WIDGET 2.3; Firefox and Safari do).
 */

const IMPORT = /\bimport\((["'`]\.\/[^"'`]+["'`])\)/g;
const HELPER =
  "const fetchPart=(path)=>import(/* @vite-ignore */path).catch(()=>import(/* @vite-ignore */path+'?r=1'));";

/** Puts every import of another chunk through a second try. */
export const triedAgain = {
  name: "tried-again",
  renderChunk(code: string): { code: string; map: null } | null {
    const changed = code.replace(IMPORT, "fetchPart($1)");
    return changed === code ? null : { code: `${changed};${HELPER}`, map: null };
  },
};
