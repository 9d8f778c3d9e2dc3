import { useParams } from '@tanstack/react-router'
import type { Status } from '../answers/application'
import type { Explanation } from '../answers/explanation'
import { useAnswer } from '../ask/answer'

// usePath is where the answers about the application of the page are.
export function usePath(): string {
  const { tenant = '', name = '' } = useParams({ strict: false })
  return `applications/${encodeURIComponent(tenant)}/${encodeURIComponent(name)}`
}

// useStatus is what `status` says of the application of the page.
export function useStatus() {
  return useAnswer<Status>(usePath())
}

// useExplanation is what `explain` says of it.
export function useExplanation() {
  return useAnswer<Explanation>(`${usePath()}/decision`)
}
