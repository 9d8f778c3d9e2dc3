// A package that the pages hold parts of.
export interface Licence {
  name: string
  version: string
  licence: string // as the package declares it, an SPDX expression
  text: string
}
