// Models by name: what there is, where it lies, how it comes here.
export { catalogue, find } from "./catalogue.ts";
export type { CatalogueEntry } from "./catalogue.ts";
export { cacheFolder, list, locate, remove } from "./cache.ts";
export type { CacheOptions, Listed } from "./cache.ts";
export { builtinMirrors, developmentMirrors, pipDownload } from "./mirror.ts";
export type { Download, Mirror, Mirrors } from "./mirror.ts";
export type { Progress } from "./part.ts";
export { pull } from "./pull.ts";
export type { Pulled, PullOptions } from "./pull.ts";
