/** Features that only some sites switch on, in one part: tools beside the text field, and the start screen. */

export { Tools } from "../composer/tools.tsx";
export { Start } from "./start.tsx";
