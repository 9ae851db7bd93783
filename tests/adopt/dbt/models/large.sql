{{ config(materialized='view') }}
select id, customer, amount from {{ source('kafka', 'orders') }} where amount > 100
