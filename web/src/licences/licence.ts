// Licences are those of the packages that the pages hold parts of. Many packages have the same text.
export interface Licences {
  packages: Licence[]
  texts: string[]
}

export interface Licence {
  name: string
  version: string
  licence: string // as the package declares it, an SPDX expression
  text: number // in the list of texts, -1 if the package has none
}
