/**
 * Preact without what the panel never uses, which every visitor who chats would download: hydration, suspense, portals,
 * `createContext`, MathML, the life cycle of other times, and its one way from text to markup, so that nobody has to take
 * it on trust. And with less trust in the page than it has by itself. Each piece is named by its very text in the pinned version and must be there exactly once: another version
 * stops the build, to be looked at again.
 */

/** What goes, and what stands in its place. */
export type Pieces = readonly (readonly [text: string | RegExp, instead: string])[];

const PIECES: Pieces = [
  // Hydration and suspense: the tree is always drawn by us, and nothing in it throws promises.
  ["128&u.__u&&(c=32&u.__u,s=u.__c.__z)&&(r.__u|=c,p=o=[],8==s.nodeType?l=B(s,o):o.push(s),l=o[0]||l),", ""],
  ["r.__u&=-161,p&&p.some(g),", ""],
  [/if\(t&&t\.then\)\{if\(r\.__u\|=128.*\}else(?= o&&o\.some\(g\);else)/, ""],
  ["t&&t.then||D(r)", "D(r)"],
  ["!u&&(i=t.__c)&&(i=i.__z)&&(f=B(i,o=[]))&&(i==t.__e&&o.some(g),g(f),g(i)),", ""],
  ["l&&(n.__m&&n.__m(r,o),l=!1),", ""],
  // Hooks for other libraries and for tools, and what stood in the page before: we draw into an empty box.
  ["return!o&&n.vnode&&n.vnode(e),e", "return e"],
  ["n.vnode&&n.vnode(r),", ""],
  ["u(n.event?n.event(r):r)", "u(r)"],
  ["(s=n.__b)&&s(r);", ""],
  ["H=n.__r,", ""],
  ["H&&H(r),", ""],
  ["return(s=n.diffed)&&s(r),l", "return l"],
  ["n.__c&&n.__c(r,t),", ""],
  ["n.unmount&&n.unmount(t),", ""],
  ["n.__&&n.__(t,r),9==r.nodeType&&(r=r.documentElement),", ""],
  [/if\(("svg"==C\?.*?),o\)for\(.*?break\}(?=if\(!t\))/, "$1;"],
  [/if\(a="template"==C.*?\.name\]=k\.value;(?=for\(s in \$\))/, "a=t;"],
  // Portals.
  [
    "M.__P&&(s=l,f=(t=M.__P).namespaceURI,c=o=null,u.props&&u.props.__P!=t&&(u.__k.some(function(n){n&&J(n,n)}),u.__k=null),l=u.__k?S(u,0):null),",
    "",
  ],
  ["M.__P&&(r.__e=null,l=s),", ""],
  // Context made by `createContext`; ours is `getChildContext`.
  ["j=(s=V.contextType)&&i[s.__c],L=s?j?j.props.value:s.__:i,", "L=i,"],
  ["j&&j.sub(d),", ""],
  // Life cycle: we draw, are mounted, may be spared, and go.
  [
    ",V.getDerivedStateFromProps&&(d.__s==d.state&&(d.__s=_({},d.__s)),_(d.__s,V.getDerivedStateFromProps(M,d.__s)))",
    "",
  ],
  ["M!==k&&C&&!V.getDerivedStateFromProps&&d.componentWillReceiveProps&&d.componentWillReceiveProps(M,L),", ""],
  [
    "d.componentWillUpdate&&d.componentWillUpdate(M,d.__s,L),C&&d.componentDidUpdate&&d.__h.push(function(){d.componentDidUpdate(k,b,m)})",
    "",
  ],
  ["C&&!V.getDerivedStateFromProps&&d.componentWillMount&&d.componentWillMount(),", ""],
  ["C&&u.__c&&d.getSnapshotBeforeUpdate&&(m=d.getSnapshotBeforeUpdate(k,b)),", ""],
  ["(e=(o=i.constructor)&&o.getDerivedStateFromError)&&i.setState(o.getDerivedStateFromError(n)),", "e=0,"],
  [/,x\.prototype\.forceUpdate=function\(n\)\{.*?\}(?=,x\.prototype\.render)/, ""],
  // Markup.
  ['"dangerouslySetInnerHTML"==s?y=k:', ""],
  ['"dangerouslySetInnerHTML"==s?h=k:', ""],
  [/h\?\(l\|\|.*?,r\.__k=\[\]\):\(y&&\(t\.textContent=""\),(.*?)\),(?=l&&"textarea"!=C)/, "$1,"],
  // MathML, markup inside drawings, React's names for attributes of drawings, styles as objects.
  [':"math"==C?f="http://www.w3.org/1998/Math/MathML"', ""],
  [/\("foreignObject"==C\|\|.*?\)&&\(f="http:\/\/www\.w3\.org\/1999\/xhtml"\),/, ""],
  ['t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s")', ""],
  // Elements get what we gave them, and nothing that another script added to `Object.prototype`.
  [
    "var u,i,f,o={},e=arguments.length;for(f in t)",
    "var u,i,f,o={__proto__:null},e=arguments.length;for(f of Object.keys(t||o))",
  ],
  ['h=Symbol.for("pv"),p={},', 'h=Symbol.for("pv"),p={__proto__:null},'],
  // The page's markup can stand before the document's own methods (see `src/document.ts`).
  [
    "M=a.ownerDocument||document,!C)return M.createTextNode(x);t=M.createElementNS(f,C,x.is?x:a)",
    "!C)return new Text(x);t=Document.prototype.createElementNS.call(document,f,C)",
  ],
  [/if\("style"==t\).*?else(?= if\("o"==t\[0\])/, ""],
];

/** A library's text without the pieces. @throws when one is not there exactly once */
function trim(code: string, pieces: Pieces): string {
  return pieces.reduce((rest, [text, instead]) => {
    const found =
      typeof text === "string" ? rest.split(text).length - 1 : [...rest.matchAll(new RegExp(text, "g"))].length;
    if (found !== 1) throw new Error(`The library has another text now, look at it again: ${text}`);
    return typeof text === "string" ? rest.split(text).join(instead) : rest.replace(text, instead);
  }, code);
}

/** A plugin of the build that cuts pieces out of the file whose path matches. */
export const trimmed = (name: string, file: RegExp, pieces: Pieces) => ({
  name,
  transform: (code: string, id: string) => (file.test(id) ? { code: trim(code, pieces), map: null } : null),
});

export const trimmedPreact = trimmed("trimmed-preact", /\/preact\.m?js$/, PIECES);
