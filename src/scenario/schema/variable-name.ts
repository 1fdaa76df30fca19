/** Last words of names that applications give to their own URLs, credentials and plain settings. */
const settingWords = wordSet(
  'URL URLS URI BASE BASEURL ENDPOINT HOST HOSTNAME PORT ORIGIN ADDRESS ADDR DOMAIN SERVER SERVICE GATEWAY API BACKEND',
  'KEY KEYS APIKEY TOKEN TOKENS SECRET PASSWORD USER USERNAME ID ORG ORGANIZATION PROJECT ACCOUNT TENANT REGION',
  'MODEL MODELS PROVIDER CHANNEL PROMPT NAME MODE LEVEL ENABLED DISABLED SEED LIMIT COUNT SIZE WIDTH HEIGHT',
  'TIMEOUT INTERVAL DELAY BACKOFF DURATION MS SECONDS MINUTES RETRIES ATTEMPTS CONCURRENCY',
)

/** Common names that change neither the code that programs load nor the programs that they find. */
const commonNames = wordSet(
  'CI DEBUG NODE_ENV APP_ENV RAILS_ENV RACK_ENV FLASK_ENV DJANGO_ENV RUST_LOG LOG_LEVEL NO_COLOR FORCE_COLOR',
  'TZ LANG LANGUAGE LC_ALL',
)

/** Prefixes that frameworks reserve for settings of the application. No program knows names with `MY_`. */
const applicationPrefix = /^(?:VITE|NEXT_PUBLIC|NUXT_PUBLIC|REACT_APP|EXPO_PUBLIC|PUBLIC)_/

/** First words of the settings of tools. Some of them name the origin of code, such as `PIP_INDEX_URL`. */
const tools = wordSet(
  'NPM PNPM YARN BUN NODE DENO COREPACK NVM VOLTA PIP UV POETRY CONDA PYTHON PYENV CARGO RUST RUSTUP GO GIT SSH',
  'JAVA JDK MAVEN GRADLE DOTNET NUGET BUNDLE GEM RUBY PERL PHP COMPOSER LUA JULIA HOMEBREW DOCKER KUBE',
  'ELECTRON PLAYWRIGHT PUPPETEER CYPRESS FFMPEG OPENSSL SSL CURL WGET LD DYLD BASH ZSH',
)

/** Words of a name that concerns code or programs, whatever its last word. */
const codeWords = wordSet(
  'INDEX REGISTRY MIRROR DOWNLOAD DOWNLOADS INSTALL INSTALLER DIST BINARY BINARIES REPO REPOSITORY PROXY PRELOAD PATH',
  'PLUGIN PLUGINS MODULE MODULES PACKAGE PACKAGES PKG LIB LIBRARY LOADER EXEC COMMAND CMD SHELL OPTIONS FLAGS ARGS',
)

/**
 * Whether a scenario may set this variable for a command. A file from elsewhere must not change which code a process loads,
 * or which programs it finds. Unless a name is known to be harmless, it is refused.
 *
 * @example
 * isSettableVariable('GATEWAY_URL') // true
 * isSettableVariable('NODE_OPTIONS') // false
 */
export function isSettableVariable(name: string): boolean {
  const upper = name.toUpperCase()
  if (commonNames.has(upper) || /^MY_\w/.test(upper)) return true
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/_?\d+$/, '')
    .split('_')
  if (tools.has(words[0]!) || words.some((word) => codeWords.has(word))) return false
  return applicationPrefix.test(upper) || settingWords.has(words.at(-1)!)
}

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '))
}
