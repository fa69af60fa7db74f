import { html, raw } from "hono/html";

/**
 * A picture of one lamp as a drawing of 480 x 560 units, so that the demo needs no network. `light`: where the lamp shines, and
 * how far. `draw`: the markup of lamp and room.
 */
type Scene = { wall: [top: string, bottom: string]; light: [x: number, y: number, radius: number]; draw: string };

const BRASS = "#c79a4b";
const INK = "#1b1714";
const OPAL = "#fff3d6";

const SCENES: Record<string, Scene> = {
  pebble: {
    wall: ["#38564d", "#20352f"],
    light: [240, 290, 300],
    draw: `
      <rect y="438" width="480" height="122" fill="#3d2a1f"/><rect y="438" width="480" height="5" fill="#6b4a35"/>
      <ellipse cx="240" cy="458" rx="190" ry="16" fill="#ffdf9e" opacity=".22"/>
      <rect x="222" y="378" width="36" height="58" rx="4" fill="${BRASS}"/><rect x="222" y="378" width="9" height="58" rx="4" fill="#e8c887" opacity=".7"/>
      <rect x="198" y="430" width="84" height="14" rx="7" fill="#a87c35"/>
      <circle cx="240" cy="288" r="98" fill="url(#pebble-glass)"/>
      <rect x="336" y="420" width="96" height="15" rx="2" fill="#8c3f2c"/><rect x="346" y="405" width="82" height="15" rx="2" fill="#d8c7a3"/><rect x="340" y="391" width="90" height="14" rx="2" fill="#2b3f52"/>
      <path d="M72 404h46v24a10 10 0 0 1-10 10H82a10 10 0 0 1-10-10z" fill="#e9e2d2"/><path d="M118 410h9a9 9 0 0 1 0 18h-9" fill="none" stroke="#e9e2d2" stroke-width="5"/>`,
  },
  heron: {
    wall: ["#bd6f4f", "#944a33"],
    light: [330, 232, 280],
    draw: `
      <rect y="470" width="480" height="90" fill="#4a2a20"/><rect y="470" width="480" height="4" fill="#6e4030"/>
      <path d="M274 236 190 506h286L386 236z" fill="url(#heron-beam)"/>
      <path d="M250 408q0-24 24-24h112q24 0 24 24v70H250z" fill="#2f4a52"/><rect x="264" y="442" width="132" height="34" rx="9" fill="#456973"/><path d="M236 430q0-16 15-16t15 16v44h128v-44q0-16 15-16t15 16v62q0 10-10 10H246q-10 0-10-10z" fill="#3b5b64"/>
      <rect x="254" y="500" width="9" height="26" fill="${INK}"/><rect x="397" y="500" width="9" height="26" fill="${INK}"/>
      <path d="M112 518C92 300 128 108 244 108c62 0 86 36 86 86" fill="none" stroke="${INK}" stroke-width="7" stroke-linecap="round"/>
      <ellipse cx="113" cy="521" rx="56" ry="10" fill="#26211e"/>
      <path d="M262 238a68 62 0 0 1 136 0z" fill="${INK}"/><ellipse cx="330" cy="238" rx="68" ry="9" fill="${OPAL}"/>`,
  },
  fjord: {
    wall: ["#4b6478", "#2a3a48"],
    light: [240, 262, 290],
    draw: `
      <rect y="460" width="480" height="100" fill="#7a5a41"/><rect y="460" width="480" height="6" fill="#a27d5d"/>
      <path d="M128 268 24 560h432L352 268z" fill="url(#fjord-beam)"/>
      <path d="M240 0v146" stroke="${INK}" stroke-width="4"/><rect x="226" y="136" width="28" height="30" rx="5" fill="${BRASS}"/>
      <path d="M222 164h36l98 104H124z" fill="#e4573d"/><path d="M222 164h14l-66 104h-46z" fill="#f07a5d" opacity=".55"/>
      <ellipse cx="240" cy="268" rx="116" ry="12" fill="${OPAL}"/>
      <ellipse cx="240" cy="486" rx="150" ry="18" fill="#ffe2ab" opacity=".35"/>
      <path d="M168 446h144q-6 46-52 46h-40q-46 0-52-46z" fill="#f0e7d6"/><path d="M168 446h30q0 40 34 46h-12q-46 0-52-46z" fill="#fff" opacity=".4"/>
      <circle cx="208" cy="438" r="20" fill="#c9542f"/><circle cx="246" cy="432" r="22" fill="#d98a2b"/><circle cx="282" cy="439" r="18" fill="#b94a2c"/><path d="M246 412q2-10 12-12" stroke="#42552f" stroke-width="4" fill="none" stroke-linecap="round"/>`,
  },
  clerk: {
    wall: ["#d9ae57", "#b98731"],
    light: [318, 252, 250],
    draw: `
      <rect y="452" width="480" height="108" fill="#40312a"/><rect y="452" width="480" height="5" fill="#65503f"/>
      <path d="M286 270 214 478h236L366 232z" fill="url(#clerk-beam)"/>
      <ellipse cx="330" cy="478" rx="112" ry="14" fill="#fff0c4" opacity=".45"/>
      <path d="m262 470 120-8 22 18-128 10z" fill="#f6efe0"/><path d="m284 476 74-5m-66 11 82-6" stroke="#b9ab92" stroke-width="3" stroke-linecap="round"/>
      <rect x="82" y="446" width="104" height="16" rx="8" fill="${INK}"/><path d="M134 446 98 298l172-98" fill="none" stroke="${INK}" stroke-width="9" stroke-linejoin="round" stroke-linecap="round"/>
      <circle cx="98" cy="298" r="13" fill="#6b4a1c"/><circle cx="134" cy="444" r="11" fill="#6b4a1c"/><circle cx="270" cy="200" r="12" fill="#6b4a1c"/>
      <path d="m252 196 30-22q70 0 88 62l-86 38q-34-30-32-78z" fill="#20453f"/><path d="m284 274 86-38q4 12-36 31t-50 7z" fill="${OPAL}"/>
      <path d="M404 392h40l-5 62h-30z" fill="#8c3f2c"/><path d="m414 392-8-44m18 44 2-56m8 56 12-40" stroke="#33261d" stroke-width="5" stroke-linecap="round"/>`,
  },
  tinder: {
    wall: ["#3d2d49", "#221a2d"],
    light: [226, 352, 250],
    draw: `
      <rect x="58" y="0" width="364" height="452" fill="#182338"/><path d="M58 0h364v452H58z" fill="none" stroke="#4d3d58" stroke-width="12"/><path d="M240 0v452M58 214h364" stroke="#4d3d58" stroke-width="8"/>
      <circle cx="342" cy="96" r="34" fill="#e7e3cf"/><circle cx="356" cy="88" r="30" fill="#182338"/>
      <g fill="#cfd6e6"><circle cx="112" cy="66" r="2"/><circle cx="168" cy="132" r="2.4"/><circle cx="282" cy="166" r="1.8"/><circle cx="206" cy="42" r="1.8"/><circle cx="126" cy="176" r="1.6"/><circle cx="388" cy="176" r="2"/></g>
      <path d="M64 446q60-66 128-40t110-22 114 24v44H64z" fill="#101828"/>
      <rect y="446" width="480" height="114" fill="#5a4a5e"/><rect y="446" width="480" height="7" fill="#7c6a80"/>
      <ellipse cx="226" cy="466" rx="150" ry="15" fill="#ffcf87" opacity=".35"/>
      <path d="M208 366h36l8 92h-52z" fill="#e8d9c0"/><path d="M208 366h12l-6 92h-14z" fill="#fff" opacity=".5"/><rect x="186" y="452" width="80" height="14" rx="7" fill="#cbb894"/>
      <path d="M142 372a84 74 0 0 1 168 0z" fill="url(#tinder-glass)"/><ellipse cx="226" cy="372" rx="84" ry="10" fill="${OPAL}"/>
      <path d="M356 452v-58m0 20q-22-4-24-28 22 2 24 28m0 12q20-6 20-30-20 4-20 30" stroke="#3f5a45" stroke-width="4" fill="#4d6e54"/><path d="M334 432h44l-6 32h-32z" fill="#9c5a3c"/>`,
  },
  doorstep: {
    wall: ["#64748a", "#3c485a"],
    light: [196, 268, 280],
    draw: `
      <path d="M0 70h480M0 140h480M0 210h480M0 280h480M0 350h480M0 420h480" stroke="#2e3847" stroke-width="3" opacity=".55"/>
      <rect x="308" y="96" width="172" height="410" fill="#223029"/><rect x="322" y="110" width="158" height="396" fill="#2f5144"/>
      <rect x="346" y="138" width="110" height="120" fill="#ffd58a" opacity=".9"/><path d="M401 138v120M346 198h110" stroke="#2f5144" stroke-width="7"/><rect x="346" y="288" width="110" height="186" fill="none" stroke="#223f35" stroke-width="6"/><circle cx="336" cy="330" r="9" fill="${BRASS}"/>
      <path d="M244 506h236v54H244z" fill="#8d8577"/><path d="M0 536h480v24H0z" fill="#6b6459"/>
      <path d="M108 206h38m-38 0v44" stroke="#5d3a26" stroke-width="8" fill="none" stroke-linecap="round"/><rect x="98" y="196" width="14" height="76" rx="4" fill="#7d4d31"/>
      <path d="M196 176v20" stroke="#5d3a26" stroke-width="6"/><path d="M146 206h50" stroke="#5d3a26" stroke-width="8"/><path d="m196 186 50 38H146z" fill="#9a5f3b"/><rect x="140" y="222" width="112" height="11" rx="3" fill="#7d4d31"/>
      <path d="M152 233h88l-10 96h-68z" fill="url(#doorstep-glass)"/><path d="M152 233l10 96m78-96-10 96m-34-96v96" stroke="#7d4d31" stroke-width="5"/><rect x="152" y="327" width="88" height="12" rx="3" fill="#7d4d31"/>
      <path d="M42 500h64l-9 42H51z" fill="#a5533a"/><path d="M74 500c-34-14-44-48-40-70 24 6 38 30 40 70m0 0c0-44 12-72 36-84 8 30-6 66-36 84" fill="#5f7f63"/>`,
  },
};

const stops = (inner: string, middle: string, outer: string) =>
  `<stop offset="0" stop-color="${inner}"/><stop offset=".55" stop-color="${middle}"/><stop offset="1" stop-color="${outer}"/>`;

function defs(name: string, { wall, light: [x, y, radius] }: Scene): string {
  return `<defs>
    <linearGradient id="${name}-wall" x2="0" y2="1"><stop stop-color="${wall[0]}"/><stop offset="1" stop-color="${wall[1]}"/></linearGradient>
    <radialGradient id="${name}-glow" gradientUnits="userSpaceOnUse" cx="${x}" cy="${y}" r="${radius}"><stop stop-color="#ffe2a6" stop-opacity=".8"/><stop offset=".35" stop-color="#ffc873" stop-opacity=".32"/><stop offset="1" stop-color="#ffb85c" stop-opacity="0"/></radialGradient>
    <radialGradient id="${name}-glass" cx=".46" cy=".44" r=".62">${stops("#fffdf4", "#ffeec6", "#f2c987")}</radialGradient>
    <linearGradient id="${name}-beam" x2="0" y2="1"><stop stop-color="#fff0c9" stop-opacity=".62"/><stop offset="1" stop-color="#ffe0a0" stop-opacity=".04"/></linearGradient>
  </defs>`;
}

/** One lamp in its room, as inline SVG with an accessible name. @throws Error for a name without a drawing */
export function drawing(name: string, label: string) {
  const scene = SCENES[name];
  if (scene === undefined) throw new Error(`No drawing called ${name}`);
  return html`<svg viewBox="0 0 480 560" role="img" aria-label="${label}" preserveAspectRatio="xMidYMid slice">
    ${raw(`${defs(name, scene)}<rect width="480" height="560" fill="url(#${name}-wall)"/>${scene.draw}<rect width="480" height="560" fill="url(#${name}-glow)"/>`)}
  </svg>`;
}

const CORDS: [x: number, y: number, colour: string][] = [
  [196, 214, "#e4573d"],
  [420, 168, "#e9dfca"],
  [644, 232, "#4f7a70"],
];

const pendant = ([x, y, colour]: (typeof CORDS)[number]): string => `
  <path d="M${x - 66} ${y + 78}L${x - 168} 566h336L${x + 66} ${y + 78}z" fill="url(#hero-beam)"/>
  <circle cx="${x}" cy="${y + 70}" r="190" fill="url(#hero-glow)"/>
  <path d="M${x} 0v${y - 20}" stroke="#0d0b0a" stroke-width="4"/><rect x="${x - 10}" y="${y - 26}" width="20" height="26" rx="4" fill="${BRASS}"/>
  <path d="M${x - 14} ${y}h28q54 24 54 78h-136q0-54 54-78z" fill="${colour}"/><path d="M${x - 14} ${y}h10q-44 28-44 78h-20q0-54 54-78z" fill="#fff" opacity=".16"/>
  <ellipse cx="${x}" cy="${y + 78}" rx="68" ry="8" fill="${OPAL}"/>`;

/** The picture of the front page, 840 x 680 units: three pendants over a long table. */
export const frontPagePicture = () => html`<svg
  viewBox="0 0 840 680" role="img" aria-label="Three pendants over a long table" preserveAspectRatio="xMidYMid slice">
  ${raw(`<defs>
    <radialGradient id="hero-glow"><stop stop-color="#ffdb94" stop-opacity=".55"/><stop offset="1" stop-color="#ffb85c" stop-opacity="0"/></radialGradient>
    <linearGradient id="hero-beam" x2="0" y2="1"><stop stop-color="#fff0c9" stop-opacity=".5"/><stop offset="1" stop-color="#ffe0a0" stop-opacity=".02"/></linearGradient>
    <linearGradient id="hero-wall" x2="0" y2="1"><stop stop-color="#2a2320"/><stop offset="1" stop-color="#3a2e27"/></linearGradient></defs>
    <rect width="840" height="680" fill="url(#hero-wall)"/>
    <rect x="70" y="120" width="150" height="220" fill="#1d2a38" stroke="#4a3b31" stroke-width="10"/><path d="M145 120v220M70 230h150" stroke="#4a3b31" stroke-width="6"/><circle cx="108" cy="172" r="14" fill="#dcd8c4"/>
    ${CORDS.map(pendant).join("")}
    <path d="M60 560h720l40 40H20z" fill="#7d5b42"/><path d="M20 600h800v22H20z" fill="#5c412f"/><path d="M90 622h26v58H90zm634 0h26v58h-26z" fill="#46311f"/>
    <g fill="#f1e8d8"><ellipse cx="196" cy="578" rx="58" ry="9"/><ellipse cx="420" cy="582" rx="58" ry="9"/><ellipse cx="644" cy="578" rx="58" ry="9"/></g>
    <g fill="#d9cbb2"><ellipse cx="196" cy="577" rx="34" ry="5"/><ellipse cx="420" cy="581" rx="34" ry="5"/><ellipse cx="644" cy="577" rx="34" ry="5"/></g>
    <path d="M290 522h42q-2 30-14 34v14h10v4h-34v-4h10v-14q-12-4-14-34z" fill="#e9eef0" opacity=".5"/><path d="M294 536h34q-4 18-11 20h-12q-8-4-11-20z" fill="#8c2f36" opacity=".85"/>
    <path d="M520 500q-10 8-10 26v44h40v-44q0-18-10-26v-28h-20z" fill="#3d5a4f"/><path d="M514 530h12v40h-12z" fill="#fff" opacity=".12"/>`)}
</svg>`;
