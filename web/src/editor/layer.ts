// Layer is what a draft changes.
export type Layer = 'platform' | 'tenant' | 'application'

export const layerOf = (dir: string): Layer => (dir === '.' ? 'platform' : dir.includes('/apps/') ? 'application' : 'tenant')

// titleOf names what a directory declares, as a heading does.
export function titleOf(dir: string): string {
  const [, tenant = '', , name = ''] = dir.split('/')
  return { platform: 'the platform', tenant: `tenant ${tenant}`, application: `${tenant}/${name}` }[layerOf(dir)]
}

// sourceOf is where the server answers what the files of a directory say.
export function sourceOf(dir: string): string {
  const [, tenant = '', , name = ''] = dir.split('/').map(encodeURIComponent)
  return { platform: 'source/platform', tenant: `source/tenants/${tenant}`, application: `source/applications/${tenant}/${name}` }[layerOf(dir)]
}

// below is a file as the files of a directory are told apart.
export const below = (file: string, dir: string) => (dir !== '.' && file.startsWith(`${dir}/`) ? file.slice(dir.length + 1) : file)

// keyOf is by which a browser finds the drafts of a directory.
export function keyOf(dir: string): string {
  const [, tenant = '', , name = ''] = dir.split('/')
  return { platform: '.', tenant, application: `${tenant}/${name}` }[layerOf(dir)]
}
