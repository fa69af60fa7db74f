/**
 * The emoji of the picker, by group. The files of `locales/emoji` have one line of names for each emoji, in the same order.
 * After a change, run `build/emoji-words.ts`. Flags are omitted, because Windows does not draw them.
 */

import type { ExtraKey } from "../../locales/extra/en.ts";

type Group = { name: ExtraKey; emoji: readonly string[] };

const group = (name: ExtraKey, emoji: string): Group => ({ name, emoji: emoji.split(" ") });

export const EMOJI_GROUPS: readonly Group[] = [
  group(
    "emojiFaces",
    "😀 😃 😄 😁 😆 😅 🤣 😂 🙂 🙃 😉 😊 😇 🥰 😍 🤩 😘 😗 😚 😙 😋 😛 😜 🤪 😝 🤑 🤗 🤭 🤫 🤔 🤐 🤨 😐 😑 😶 😏 😒 🙄 😬 🤥 😌 😔 😪 🤤 😴 😷 🤒 🤕 🤢 🤮 🤧 🥵 🥶 🥴 😵 🤯 🤠 🥳 😎 🤓 🧐 😕 😟 🙁 😮 😯 😲 😳 🥺 😧 😨 😰 😥 😢 😭 😱 😖 😣 😞 😓 😩 😫 🥱 😤 😡 😠 🤬 💀 💩 👻 👽 🤖 🙈 🙉 🙊 💔 ❤️ 🧡 💛 💚 💙 💜 🤎 🖤 🤍 💯 💥 💫 💦 💤 💬",
  ),
  group(
    "emojiPeople",
    "👋 🤚 ✋ 🖖 👌 🤏 ✌️ 🤞 🤟 🤘 🤙 👈 👉 👆 👇 ☝️ 👍 👎 ✊ 👊 👏 🙌 👐 🤲 🤝 🙏 💅 🤳 💪 👂 👃 🧠 👀 👄 👶 👦 👧 👨 👩 👴 👵 🙅 🙆 💁 🙋 🙇 🤦 🤷 👮 👷 🎅 💇 🏃 💃 🕺 👫 👪 👤 👥 👣",
  ),
  group(
    "emojiNature",
    "🐶 🐱 🐭 🐹 🐰 🦊 🐻 🐼 🐨 🐯 🦁 🐮 🐷 🐸 🐵 🐔 🐧 🐦 🐤 🦆 🦅 🦉 🦇 🐺 🐗 🐴 🦄 🐝 🐛 🦋 🐌 🐞 🐜 🐢 🐍 🦖 🐙 🦀 🐠 🐬 🐳 🦈 🐊 🐘 🐫 🦒 🐑 🐎 🐓 🦔 🐾 💐 🌸 🌹 🌺 🌻 🌼 🌷 🌱 🌲 🌳 🌴 🌵 🌾 🍀 🍁 🍂 🍄",
  ),
  group(
    "emojiFood",
    "🍏 🍎 🍐 🍊 🍋 🍌 🍉 🍇 🍓 🍒 🍑 🥭 🍍 🥥 🥝 🍅 🥑 🥦 🥒 🌽 🥕 🥔 🍞 🥐 🥖 🧀 🥚 🍳 🥞 🥓 🍔 🍟 🍕 🌭 🥪 🌮 🌯 🥗 🍝 🍜 🍲 🍣 🍤 🍚 🍦 🍩 🍪 🎂 🍰 🧁 🍫 🍬 🍭 🍿 🍯 🥛 ☕ 🍵 🍺 🍻 🥂 🍷 🥃 🍸 🍴",
  ),
  group(
    "emojiTravel",
    "🚗 🚕 🚌 🚓 🚑 🚒 🚚 🚜 🛵 🚲 🚂 🚆 🚇 🚢 ⛵ ✈️ 🚀 🚁 🚦 🚧 ⛽ 🗼 🗽 🏠 🏡 🏢 🏥 🏦 🏨 🏪 🏫 🏭 🏰 ⛪ ⛲ 🌍 🌋 🗻 🏝️ 🏖️ 🏔️ 🌅 🌃 🌈 ☀️ 🌤️ ☁️ 🌧️ ⛈️ ❄️ ⛄ 🌙 ⭐ 🌟 ⚡ 🔥 💧 🌊 ⏰ ⌛ ⌚",
  ),
  group(
    "emojiThings",
    "🎈 🎉 🎊 🎁 🎀 🎄 🎃 🏆 🥇 ⚽ 🏀 🏈 🎾 🏐 🎳 🎯 🎮 🎲 🧩 🎨 🎭 🎤 🎧 🎵 🎸 🎹 🎬 📷 📹 📺 📱 ☎️ 💻 🖨️ 🔋 🔌 💡 🔦 🔍 🔑 🔒 🔓 🔨 🔧 ⚙️ 🧰 📦 📧 ✉️ 📬 📝 ✏️ ✂️ 📎 📌 📍 📅 📈 📊 📚 📖 📰 🏷️ 💼 📁 💰 💳 💵 🧾 💎 🛒 🛍️ 👕 👖 👗 👟 👠 👜 🎒 👓 💍 👑 🎓 💊 🩺 🚪 🛋️ 🛁 🛏️ 🧹 🧺 🕯️",
  ),
  group(
    "emojiSymbols",
    "✅ ❌ ❗ ❓ ⚠️ 🚫 ⛔ ✔️ ✖️ ➕ ➖ ♻️ 🔔 🔕 🔇 📢 💲 ➡️ ⬅️ ⬆️ ⬇️ 🔄 🔝 🔜 🔙 🆕 🆗 🆒 🆓 🆘 ℹ️ 🅿️ ♿ 🚻 ▶️ ⏸️ ⏩ 🔴 🟠 🟡 🟢 🔵 🟣 ⚫ ⚪ 🔶 🔷 ✨",
  ),
];
