import type { BotMessage } from "../sandbox/bot.ts";
import type { Rule } from "../sandbox/bots.ts";

/** Adds a pause before each text of an answer: a short one before the first, the time of typing before each later one. */
const parts = (...texts: string[]): BotMessage[] =>
  texts.map((text, index) => ({
    text,
    afterMs: index === 0 ? { min: 800, max: 1_300 } : { min: 900, max: 1_700 },
  }));

/** The answers of the shop's assistant, as on the shop's pages. The first matching rule answers. */
export const ANSWERS: readonly Rule[] = [
  {
    match: "/\\b(human|person|someone|colleague|phone|call me)\\b/",
    parts: parts(
      "Of course. I have let the workshop know, and one of the three will answer here.",
      "You need not wait: the answer will be in this chat when you come back.",
    ),
  },
  {
    match: "/\\b(return|refund|send (it|them) back|changed my mind|exchange)/",
    parts: parts(
      "You have thirty days from the day the lamp arrives.",
      "Write to us here, and a courier collects it. We pay for the return.",
    ),
  },
  {
    match: "/\\b(broken|broke|cracked|damaged|shattered)\\b/",
    parts: parts(
      "I'm sorry, that should not happen. Send us a photo of it here.",
      "The new glass leaves the next morning, and you keep the pieces.",
    ),
  },
  {
    match: "/\\b(norway|norge|oslo|bergen|switzerland|schweiz|uk|united kingdom|england|scotland|wales)\\b/",
    parts: parts(
      "Yes, we do! It takes 3 to 6 days once the lamp is made, and costs €\u00a019.",
      "Duties are on us, so nothing is due at your door.",
    ),
  },
  {
    match: "/\\b(belgium|belgië|belgique|ghent|brussels|antwerp)\\b/",
    parts: parts("That's next door! 1 to 2 days once the lamp is made, for €\u00a06. Above €\u00a0150 it is free."),
  },
  {
    match:
      "/\\b(eu|europe|germany|france|netherlands|spain|italy|austria|sweden|denmark|finland|poland|portugal|ireland)\\b/",
    parts: parts(
      "Yes. Within the European Union it takes 2 to 4 days and costs €\u00a012, or nothing above €\u00a0250.",
    ),
  },
  {
    match: "/\\b(where|when|track|late)\\b.*\\b(order|parcel|package|lamp)\\b/",
    parts: parts(
      "The tracking link is in the email that left together with your lamp.",
      "Tell me the order's number, and I'll ask the workshop how far it is.",
    ),
  },
  {
    match: "/\\b(ship|shipping|deliver|delivery|courier|usa|america|australia|japan|canada)/",
    parts: parts(
      "We ship everywhere. In Belgium it takes 1 to 2 days, in the European Union 2 to 4, and 5 to 10 at the other end of the world.",
      "Where should the lamp go?",
    ),
  },
  {
    match: "/\\b(how long|how soon|wait|ready|made to order|days)\\b/",
    parts: parts(
      "Each lamp is made when you order it. Tinder takes two working days, Pebble and Fjord five, Heron ten.",
    ),
  },
  {
    match: "/\\b(cord|cable|length|colou?r|paint|custom)/",
    parts: parts(
      "Any length up to five metres, at no extra cost. Colours too: cream, brick, moss, slate and soot.",
      "Just tell me which lamp, and what you have in mind.",
    ),
  },
  {
    match: "/\\b(bulb|led|watt|kelvin|dim|dimmer|bright|warm)/",
    parts: parts(
      "All six shine warm, between 2,200 and 3,000 K, and the bulb is in the box.",
      "Pebble, Heron and Fjord dim down to a glow.",
    ),
  },
  {
    match: "/\\b(desk|read|reading|study|work)/",
    parts: parts(
      "For a desk, take Clerk: the arm stays where you leave it. For an armchair, Heron leans over your shoulder.",
    ),
  },
  {
    match: "/\\b(bed|bedroom|bedside|kids?|child|nursery|garden|outside|outdoors|balcony|terrace)/",
    parts: parts(
      "Tinder is happy there: no cable, and forty hours from one charge.",
      "On a wall out in the rain, it should be Doorstep.",
    ),
  },
  {
    match: "/\\b(order|buy|purchase|price|cost|how much|pay|payment|card|discount)/",
    parts: parts(
      "Lamps start at €\u00a096 for Tinder and end at €\u00a0420 for Heron, tax included.",
      "To order, tell me the lamp and where it should go. You pay by card or invoice when it leaves us.",
    ),
  },
  {
    match: "/\\b(open|opening|hours|visit|address|where are you|workshop)\\b/",
    parts: parts("The workshop door is open from Tuesday to Saturday, 10 to 17. This chat never closes."),
  },
  {
    match: "/\\b(bot|robot|real|ai|who are you|your name)\\b/",
    parts: parts(
      "I'm the shop's AI assistant, and in this demo I come from a sandbox. I know the lamps, shipping and returns.",
    ),
  },
  {
    match: "/\\b(thanks?|thank you|great|perfect|lovely|takk|merci|danke)\\b/",
    parts: parts("You're very welcome. Enjoy the light!"),
  },
  {
    match: "/^\\W*(hi|hello|hey|hei|hallo|good (morning|afternoon|evening))\\b/",
    parts: parts("Hello, and welcome in. What would you like to light?"),
  },
  {
    parts: parts(
      "That one is beyond me. I have passed it on, and the workshop will answer here.",
      "Lamps, shipping, returns and orders I can help with right away.",
    ),
  },
];
