/** What a widget may know about its site: baked into the tag's script. Secrets never stand here. */
export type PublicSite = {
  /** Key of the site, as in `data-site`. */
  id: string;
  title: string;
  greeting: string;
  /** Questions offered while the thread is empty. */
  suggestions: string[];
  /** Any CSS hex colour; contrast is repaired in the widget. */
  accent: string;
  theme: "auto" | "light" | "dark";
  position: "right" | "left";
  /** BCP 47 tag, or `auto`: the page's, then the browser's. */
  locale: string;
  /** Who answers: decides the label that says it (AI Act, Art. 50). */
  responder: "ai" | "human" | "mixed";
  privacyUrl: string;
  /** Largest upload per kind of file, in bytes; 0: not taken. `av`: audio and video. Absent: no uploads. */
  uploads?: { image: number; av: number; document: number };
};

export const DEFAULT_SITE: PublicSite = {
  id: "default",
  title: "",
  greeting: "",
  suggestions: [],
  accent: "#4f46e5",
  theme: "auto",
  position: "right",
  locale: "auto",
  responder: "ai",
  privacyUrl: "",
};
