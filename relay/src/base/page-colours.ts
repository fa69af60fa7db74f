/** The colours of the relay's pages for operators and developers, light and dark: a style sheet with variables. */
export const PAGE_COLOURS = `:root { color-scheme: light dark; --ink: #1c1b19; --soft: #5d5a55; --ground: #faf9f7; --card: #fff; --line: #dedad3;
  --accent: #8a4b08; --accent-ink: #fff; --good: #1d6b3c; --bad: #a3231f; }
@media (prefers-color-scheme: dark) { :root { --ink: #ece9e4; --soft: #aaa59d; --ground: #171614; --card: #211f1d; --line: #3b3834;
  --accent: #f0b26b; --accent-ink: #221503; --good: #7fd3a0; --bad: #ff9d96; } }`;
