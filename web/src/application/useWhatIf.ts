import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Plan } from '../answers/plan'
import { later } from '../ask/later'
import { useMeta } from '../ask/meta'
import { post } from '../ask/request'
import { questionOf, type Setting } from './setting'

// rest is how long a slider rests before the server is asked.
const rest = 120

// useWhatIf asks what would differ with other settings. One question is on its way at a time: the next one cancels it.
export function useWhatIf(settings: Setting[]) {
  const { data: meta } = useMeta()
  const question = JSON.stringify(questionOf(settings))
  const [asked, setAsked] = useState(question)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(question), rest)
    return () => clearTimeout(timer)
  }, [question])
  return useQuery<Plan, Error>({
    queryKey: ['what-if', meta?.commit, asked],
    queryFn: ({ signal }) => post<Plan>('what-if', JSON.parse(asked), signal),
    enabled: settings.length > 0 && asked === question,
    placeholderData: keepPreviousData,
    ...later,
    gcTime: 60_000,
  })
}
