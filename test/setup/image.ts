/**
 * Builds the image of relay/deploy/Containerfile, and runs it, without a container daemon and without a registry of images. The
 * base is made of Debian's packages and this machine's Node and npm, and stands for the official image of Node.
 */

import { execFile, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { childRelay, type Env, type Run } from "../relays.ts";
import { find } from "./install.ts";
import { buildahPath, debootstrapPath } from "./programs.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CONTAINERFILE = join(ROOT, "relay", "deploy", "Containerfile");
const DEBIAN = "bookworm";
/** Debian's packages, unpacked: kept, because the download takes minutes. */
const PACKAGES = join(ROOT, ".cache", `${DEBIAN}.tar`);

export type Image = {
  /** Kilobytes of the image's files. */
  size: number;
  /** Kilobytes of the base's files. */
  baseSize: number;
  config: Config;
  /**
   * Runs the relay as the compose files do: read-only, without capabilities, as the first process of its own process
   * namespace. `DATA_DIR` is mounted in place of the volume.
   */
  run: Run;
  /** Runs a command in the running container, like `docker exec`. */
  exec: (...command: string[]) => Promise<{ status: number; stdout: string }>;
  remove: () => void;
};

type Config = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, object>;
  Healthcheck: { Test: string[] };
};

const BASE_FILE = `FROM scratch
ADD ${DEBIAN}.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \\
 && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
`;

/** Makes the files of a small Debian, once. */
function ensurePackages(): void {
  if (existsSync(PACKAGES)) return;
  const folder = mkdtempSync(join(tmpdir(), "porchlight-debian-"));
  const root = join(folder, "root");
  execFileSync(debootstrapPath(), ["--variant=minbase", "--include=libatomic1", DEBIAN, root], {
    stdio: "ignore",
  });
  for (const name of ["cache/apt/archives", "lib/apt/lists"])
    rmSync(join(root, "var", name), { recursive: true, force: true });
  mkdirSync(dirname(PACKAGES), { recursive: true });
  execFileSync("tar", ["--create", "--file", join(folder, "root.tar"), "--directory", root, "."]);
  cpSync(join(folder, "root.tar"), PACKAGES);
  rmSync(folder, { recursive: true });
}

/** Writes the files of which the base is built. npm in it uses the certificates and the registry of this process. */
function writeBase(folder: string): void {
  ensurePackages();
  cpSync(PACKAGES, join(folder, `${DEBIAN}.tar`));
  cpSync(process.execPath, join(folder, "node"));
  // npm's program is …/npm/bin/npm-cli.js.
  cpSync(dirname(dirname(realpathSync(find(["npm"]) ?? ""))), join(folder, "npm"), { recursive: true });
  const { NODE_EXTRA_CA_CERTS: certificates, npm_config_registry: registry } = process.env;
  const lines = [BASE_FILE];
  if (certificates !== undefined) {
    cpSync(certificates, join(folder, "certificates"));
    lines.push("COPY certificates /certificates", "ENV NODE_EXTRA_CA_CERTS=/certificates");
  }
  if (registry !== undefined) lines.push(`ENV npm_config_registry=${registry}`);
  writeFileSync(join(folder, "Containerfile"), lines.join("\n"));
}

/** Mounts as the compose files ask for, and becomes the image's user. */
const CONTAINER = `
set -e
root=$1 data=$2 volume=$3 user=$4 place=$5; shift 5
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$data" "$root$volume"
mount --bind /dev "$root/dev"
mount --types tmpfs tmpfs "$root/tmp"
mount --types proc proc "$root/proc"
mount --options remount,bind,ro "$root"
exec chroot "$root" setpriv --reuid "\${user%:*}" --regid "\${user#*:}" --clear-groups --bounding-set=-all --inh-caps=-all \\
  --no-new-privs sh -c 'cd "$0" && exec "$@"' "$place" "$@"
`;

const kilobytes = (folder: string): number =>
  Number(execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t")[0]);

/** Buildah with a store of its own in this folder. */
function buildahIn(folder: string): (...args: string[]) => string {
  const store = ["--storage-driver", "vfs", "--root", join(folder, "store"), "--runroot", join(folder, "run")];
  const env = { ...process.env, BUILDAH_ISOLATION: "chroot", TMPDIR: folder };
  return (...args) => execFileSync(buildahPath(), [...store, ...args], { encoding: "utf8", env }).trim();
}

/** Builds the base under the name that the Containerfile gives it, and the image on it. */
export function buildImage(): Image {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-image-"));
  const buildah = buildahIn(folder);
  const build = ["build", "--quiet", "--pull-never", "--format", "docker"];
  const mounted = (image: string): string => buildah("mount", buildah("from", "--pull-never", image));
  const [, base = ""] = /^FROM (\S+)$/m.exec(readFileSync(CONTAINERFILE, "utf8")) ?? [];
  const parts = join(folder, "base");
  mkdirSync(parts);
  writeBase(parts);
  buildah(...build, "--tag", `docker.io/library/${base}`, parts);
  buildah(...build, "--file", CONTAINERFILE, "--tag", "porchlight", ROOT);
  const root = mounted("porchlight");
  const { Docker } = JSON.parse(buildah("inspect", "--type", "image", "porchlight")) as { Docker: { config: Config } };
  return {
    size: kilobytes(root),
    baseSize: kilobytes(mounted(base)),
    config: Docker.config,
    ...container(root, Docker.config),
    remove() {
      buildah("umount", "--all");
      rmSync(folder, { recursive: true });
    },
  };
}

function container(root: string, config: Config): Pick<Image, "run" | "exec"> {
  const { User: user, WorkingDir: place } = config;
  const [volume = ""] = Object.keys(config.Volumes);
  const own = Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s)));
  let given: Env = {};
  let pid = 0;
  return {
    async run({ DATA_DIR = "", ...settings }) {
      const [uid = 0, gid = 0] = user.split(":").map(Number);
      chownSync(DATA_DIR, uid, gid);
      given = { ...own, ...settings };
      const isolated = ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", CONTAINER, "container"];
      const command = [...(config.Entrypoint ?? []), ...config.Cmd];
      const child = spawn("unshare", [...isolated, root, DATA_DIR, volume, user, place, ...command], { env: given });
      const first = (): number => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8"));
      const running = await childRelay(child, first);
      pid = running.pid;
      return running;
    },
    exec(...command) {
      const [uid = "", gid = ""] = user.split(":");
      const inside = ["--target", String(pid), "--mount", "--pid", "--root", "--wd", "--setuid", uid, "--setgid", gid];
      return new Promise((resolve) => {
        const child = execFile("nsenter", [...inside, ...command], { env: given }, (_, stdout) =>
          resolve({ status: child.exitCode ?? -1, stdout }),
        );
      });
    },
  };
}
