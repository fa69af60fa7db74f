/** The products of the demo shop, all invented. */
export type Lamp = {
  /** Last part of the page's address, and name of the drawing. */
  slug: string;
  name: string;
  /** What sort of lamp it is, in words. */
  kind: string;
  /** Euros, tax included. */
  price: number;
  /** One sentence for the cards. */
  line: string;
  story: string;
  facts: [what: string, value: string][];
};

/** All lamps, in the order of the front page. */
export const LAMPS: readonly Lamp[] = [
  {
    slug: "pebble",
    name: "Pebble",
    kind: "Table lamp",
    price: 148,
    line: "A mouth-blown globe on a turned brass foot.",
    story:
      "Every globe is blown by hand, so no two are quite round. The glass is opal all the way through: the light has no hard edge, and the bulb inside never shows.",
    facts: [
      ["Size", "24 cm across, 31 cm high"],
      ["Light", "E27, 6 W, 2,700 K, dims to a glow"],
      ["Cord", "2 m of woven cotton, switch in the cord"],
      ["Made in", "Five working days"],
    ],
  },
  {
    slug: "heron",
    name: "Heron",
    kind: "Floor lamp",
    price: 420,
    line: "One long bend of steel that leans over your chair.",
    story:
      "The arc is a single tube, bent cold and weighted at the foot with a disc of slate. It reaches a metre forward, so the light falls on the page and not on your hair.",
    facts: [
      ["Size", "186 cm high, reaches 104 cm"],
      ["Light", "E27, 9 W, 2,700 K, foot dimmer"],
      ["Weight", "11 kg, most of it in the foot"],
      ["Made in", "Ten working days"],
    ],
  },
  {
    slug: "fjord",
    name: "Fjord",
    kind: "Pendant",
    price: 196,
    line: "A spun cone that keeps its light on the table.",
    story:
      "Spun from one sheet of aluminium and painted by hand inside and out. Hung sixty centimetres above a table, it lights the plates and leaves the faces in peace.",
    facts: [
      ["Size", "38 cm across, 29 cm high"],
      ["Light", "E27, 8 W, 2,700 K, dimmable"],
      ["Cord", "3 m, shortened to your measure for free"],
      ["Made in", "Five working days"],
    ],
  },
  {
    slug: "clerk",
    name: "Clerk",
    kind: "Desk lamp",
    price: 232,
    line: "Two arms, three joints, no springs to sing.",
    story:
      "Friction joints hold the arm wherever you leave it, and go on doing so: a hidden screw takes up the wear. The shade turns all the way round.",
    facts: [
      ["Size", "Arms of 34 cm, shade 16 cm across"],
      ["Light", "GU10, 5 W, 3,000 K"],
      ["Foot", "Cast iron, felt underneath, or a clamp"],
      ["Made in", "Seven working days"],
    ],
  },
  {
    slug: "tinder",
    name: "Tinder",
    kind: "Portable lamp",
    price: 96,
    line: "Forty hours of candlelight without a cable.",
    story:
      "For the windowsill, the garden table and the night the power goes. Tap the cap for three levels of light. The battery can be changed with a coin.",
    facts: [
      ["Size", "15 cm across, 22 cm high"],
      ["Light", "Built in, 2,200 K, three levels"],
      ["Battery", "40 hours, USB-C, replaceable"],
      ["Made in", "Two working days"],
    ],
  },
  {
    slug: "doorstep",
    name: "Doorstep",
    kind: "Wall lantern",
    price: 168,
    line: "For the wall beside the door, in any weather.",
    story:
      "Folded copper that turns brown, then green, and then stays. The glass lifts out with one finger, because a lamp outdoors wants washing twice a year.",
    facts: [
      ["Size", "17 cm wide, 34 cm high"],
      ["Light", "E14, 4 W, 2,400 K"],
      ["Weather", "IP44, rain and salt air"],
      ["Made in", "Seven working days"],
    ],
  },
];
