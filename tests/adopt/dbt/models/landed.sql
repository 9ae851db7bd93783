{{ config(materialized='incremental') }}
select orders.id, orders.customer, orders.amount, orders.ROWPARTITION as p, orders.ROWOFFSET as o
from {{ source('kafka', 'orders') }} as orders
{% if is_incremental() %}
left join (select p, max(o) as last from {{ this }} group by p) as seen on orders.ROWPARTITION = seen.p
where orders.ROWOFFSET > coalesce(seen.last, -1)
{% endif %}
