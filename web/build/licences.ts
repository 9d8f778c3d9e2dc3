import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import type { Licence, Licences } from '../src/licences/licence'

const file = 'licences.json'

interface Lock {
  packages: Record<string, { version?: string; license?: string; dev?: boolean; optional?: boolean }>
}

// The page of licences names every package that the built pages may hold parts of: all of the lock file but the tools.
export function licences(): Plugin {
  let root = ''
  return {
    name: 'licences',
    configResolved(config) {
      root = config.root
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: file, source: JSON.stringify(read(root), null, 1) + '\n' })
    },
    configureServer(server) {
      server.middlewares.use('/' + file, (_, answer) => {
        answer.setHeader('Content-Type', 'application/json')
        answer.end(JSON.stringify(read(root)))
      })
    },
  }
}

function read(root: string): Licences {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const packages: Licence[] = []
  const texts: string[] = []
  for (const [path, entry] of Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = path.lastIndexOf('node_modules/')
    const name = path.slice(at + 'node_modules/'.length)
    if (at < 0 || entry.dev || entry.optional || name.startsWith('@types/')) continue
    const own = text(join(root, path))
    if (own !== '' && !texts.includes(own)) texts.push(own)
    packages.push({ name, version: entry.version ?? '', licence: entry.license ?? 'not declared', text: texts.indexOf(own) })
  }
  return { packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)), texts }
}

function text(folder: string): string {
  if (!existsSync(folder)) throw new Error(`${folder} is not there: run npm ci`)
  const name = readdirSync(folder).sort().find((f) => /^(licen[cs]e|copying)/i.test(f))
  return name ? readFileSync(join(folder, name), 'utf8').replace(/\r\n/g, '\n').trim() : ''
}
