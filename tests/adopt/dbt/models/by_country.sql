{{ config(materialized='table') }}
select c.country, sum(l.amount) as amount
from {{ ref('landed') }} l join {{ ref('countries') }} c on l.customer = c.customer group by c.country
