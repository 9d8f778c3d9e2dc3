import type { Approval } from '../answers/plan'

// validMerge says whose signed merge of a part of a signed fleet comes into force.
export function validMerge({ area, people, who }: Approval): string {
  if (who.length === 0) return `The fleet is signed: for ${area}, no merge comes into force before access names somebody who may sign it.`
  const by = who.length === 1 ? who[0] : `${people} of ${who.join(', ')}`
  return `The fleet is signed: for ${area}, only a merge that is signed by ${by} comes into force.`
}
