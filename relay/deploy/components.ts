import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package that runs in production: in the relay, or built into the widget. */
export type Component = {
  name: string;
  version: string;
  /** SPDX, as the package names it. */
  license: string;
  /** purl of each package that it needs itself. */
  needs: string[];
};

const ROOT = join(import.meta.dirname, "..", "..");
/** Packages of this repository whose dependencies are shipped. */
const SHIPPED = ["relay", "widget"];

type Manifest = {
  name: string;
  version: string;
  license?: string | { type: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Package URL (ECMA-427). */
export const purlOf = ({ name, version }: Pick<Component, "name" | "version">): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

/** The folder of a package as Node resolves it; `undefined` for an optional package that is not installed. */
function folderOf(name: string, from: string): string | undefined {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return realpathSync(found);
  }
  return undefined;
}

/** Every installed package that the relay and the widget need to run, by name and version. */
export function components(): Component[] {
  const found = new Map<string, Component>();
  function add(folder: string, own: boolean): string[] {
    const { name, version, license = "", dependencies = {}, optionalDependencies = {} } = manifestIn(folder);
    const purl = purlOf({ name, version });
    if (found.has(purl)) return [purl];
    const component = { name, version, license: typeof license === "string" ? license : license.type, needs: [] };
    if (!own) found.set(purl, component);
    const wanted = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (each) => !/^@porchlight\//.test(each),
    );
    const needs = wanted.flatMap((each) => {
      const place = folderOf(each, folder);
      return place === undefined ? [] : add(place, false);
    });
    if (!own) found.set(purl, { ...component, needs });
    return [purl];
  }
  for (const part of SHIPPED) add(join(ROOT, part), true);
  return [...found.values()].sort((one, other) => (purlOf(one) < purlOf(other) ? -1 : 1));
}

/** The components as a CycloneDX 1.6 document: the same for the same packages, so without a time. */
export function sbom(parts: readonly Component[] = components()): object {
  const { name, version } = manifestIn(ROOT);
  const own = `pkg:npm/${name}@${version}`;
  const all = parts.map((part) => ({
    type: "library",
    "bom-ref": purlOf(part),
    name: part.name,
    version: part.version,
    purl: purlOf(part),
    licenses: [{ expression: part.license }],
  }));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": own, name, version, licenses: [{ expression: "MIT" }] } },
    components: all,
    dependencies: [
      { ref: own, dependsOn: all.map((part) => part["bom-ref"]) },
      ...parts.map((part) => ({ ref: purlOf(part), dependsOn: part.needs })),
    ],
  };
}
